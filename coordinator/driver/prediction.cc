#include "coordinator/driver/prediction.h"

#include <cerrno>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/convert/convert.h"
#include "common/tensor/safetensors.h"
#include "coordinator/driver/prepared_run.h"
#include "coordinator/driver/random_token.h"

namespace meanfield::driver {
namespace {

constexpr uint64_t kSpareBytes = uint64_t{16} << 20;

// Takes the file out of reach of the lease that it came by.
absl::Status TakeIn(const Phase::Arrival& arrival, const std::string& folder,
                    std::vector<std::string>& paths) {
  const auto file = SafetensorsFile::Open(arrival.path);
  if (absl::IsInvalidArgument(file.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat("malformed: ", file.status().message()));
  }
  MEANFIELD_RETURN_IF_ERROR(file.status());
  const std::string path =
      absl::StrCat(folder, "/output-", RandomToken(16), ".safetensors");
  if (rename(arrival.path.c_str(), path.c_str()) != 0) {
    return ErrnoStatus(errno, "move an output", path);
  }
  paths[arrival.unit] = path;
  return absl::OkStatus();
}

}  // namespace

Prediction::Prediction(Context& context, PredictRequest request,
                       std::function<void(Outputs)> reply)
    : context_(context),
      request_(std::move(request)),
      reply_(std::move(reply)),
      paths_(std::make_shared<std::vector<std::string>>(request_.data.size())) {
}

void Prediction::Start(std::function<void()> done) {
  done_ = std::move(done);
  InBackground(
      context_,
      [&store = context_.store] {
        return MakeIncoming(store, kPredictionFolder);
      },
      [self = shared_from_this()](const absl::StatusOr<std::string>& folder) {
        if (self->ended_) return;
        if (!folder.ok()) return self->End(folder.status());
        self->StartPhase(*folder);
      });
}

void Prediction::StartPhase(const std::string& folder) {
  const auto rejected = [](const Phase::Arrival& arrival,
                           const absl::Status& status) {
    Log(LogLevel::kWarning, "prediction_rejected",
        {{"worker", arrival.worker}, {"reason", status.ToString()}});
  };
  Phase::Hooks hooks{
      .eligible = [](const Worker&) { return true; },
      .take_in =
          [folder, paths = paths_](const Phase::Arrival& arrival) {
            return TakeIn(arrival, folder, *paths);
          },
      .accepted = [](const Phase::Arrival&) {},
      .rejected = rejected,
      .trouble =
          [](const std::string& text) {
            Log(LogLevel::kWarning, "prediction_failed", {{"reason", text}});
          },
      .ended =
          [self = shared_from_this()](Phase& phase,
                                      const absl::Status& status) {
            phase.Close();
            self->End(status);
          }};
  std::make_shared<Phase>(context_, Units(), folder, std::move(hooks))->Start();
}

std::vector<Phase::Unit> Prediction::Units() const {
  std::vector<Phase::Unit> units;
  for (const Blob& data : request_.data) {
    proto::Unit unit;
    unit.mutable_key()->set_run(kPredictionFolder);
    unit.mutable_key()->set_kind(proto::PREDICT);
    unit.mutable_key()->set_split("predict");
    unit.mutable_key()->set_shard(static_cast<uint32_t>(units.size()));
    unit.mutable_key()->set_model("best");
    *unit.mutable_model_config() = ToProto(request_.model_config);
    *unit.mutable_training_config() = ToProto(request_.training_config);
    *unit.mutable_model() = ToProto(request_.model);
    for (const Blob& frozen : request_.frozen) {
      *unit.add_frozen() = ToProto(frozen);
    }
    *unit.mutable_data() = ToProto(data);
    units.push_back({.unit = std::move(unit),
                     .max_output_bytes = 8 * data.size + kSpareBytes});
  }
  return units;
}

void Prediction::Stop(const absl::Status& reason) { End(reason); }

void Prediction::End(const absl::Status& status) {
  if (ended_) return;
  ended_ = true;
  if (done_ != nullptr && context_.phase != nullptr) {
    context_.phase->Cancel(status);
  }
  reply_(status.ok() ? Outputs(*paths_) : Outputs(status));
  if (done_ != nullptr) std::exchange(done_, nullptr)();
}

}  // namespace meanfield::driver
