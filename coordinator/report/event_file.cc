#include "coordinator/report/event_file.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "coordinator/report/crc32c.h"
#include "coordinator/report/run_view.h"
#include "proto/tensorboard.pb.h"

namespace meanfield::report {
namespace {

std::string LittleEndian(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  }
  return text;
}

// TFRecord stores checksums so that a file of records inside a record does not
// look like one.
std::string MaskedChecksum(std::string_view bytes) {
  const uint32_t crc = Crc32c(bytes);
  return LittleEndian(((crc >> 15) | (crc << 17)) + 0xa282ead8u, 4);
}

void AddScalar(std::string tag, double value,
               proto::TensorBoardSummary& summary) {
  proto::TensorBoardSummary::Value& entry = *summary.add_value();
  entry.set_tag(std::move(tag));
  entry.set_simple_value(static_cast<float>(value));
}

proto::TensorBoardSummary Scalars(const proto::RunDetails& run,
                                  const proto::RoundRecord& round) {
  proto::TensorBoardSummary summary;
  AddScalar("train/loss", round.train_loss(), summary);
  AddScalar("learning_rate", LearningRateOf(round), summary);
  const proto::Verdict* verdict = VerdictOf(run, round.plan().round());
  if (verdict == nullptr || !verdict->has_dev()) return summary;
  AddScalar("dev/loss", verdict->dev().loss(), summary);
  for (const proto::Score& score : verdict->dev().scores()) {
    AddScalar(absl::StrCat("dev/", score.name()), score.value(), summary);
  }
  return summary;
}

}  // namespace

std::string TfRecord(std::string_view data) {
  const std::string length = LittleEndian(data.size(), 8);
  return StrCat(length, MaskedChecksum(length), data, MaskedChecksum(data));
}

std::string EventFile(const proto::RunDetails& run) {
  double time = static_cast<double>(run.run().started_unix_ms()) / 1000;
  proto::TensorBoardEvent event;
  event.set_wall_time(time);
  event.set_file_version("brain.Event:2");
  std::string file = TfRecord(event.SerializeAsString());
  for (const proto::RoundRecord& round : run.rounds()) {
    time += WallSeconds(run, round);
    event.set_wall_time(time);
    event.set_step(round.plan().round());
    *event.mutable_summary() = Scalars(run, round);
    file += TfRecord(event.SerializeAsString());
  }
  return file;
}

std::string EventFileName(const proto::RunDetails& run, std::string_view host) {
  return StrCat("events.out.tfevents.", run.run().started_unix_ms() / 1000, ".",
                host);
}

}  // namespace meanfield::report
