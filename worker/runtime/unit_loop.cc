#include "worker/runtime/unit_loop.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "common/base/log.h"
#include "common/base/strings.h"
#include "common/rpc/grpc_status.h"
#include "common/rpc/protocol.h"
#include "worker/runtime/upload.h"

namespace meanfield {
namespace {

proto::WorkerMessage DoneMessage(uint64_t lease,
                                 const proto::UnitResult& result) {
  proto::WorkerMessage message;
  message.mutable_done()->set_lease(lease);
  *message.mutable_done()->mutable_result() = result;
  return message;
}

proto::WorkerMessage FailedMessage(uint64_t lease, const absl::Status& status) {
  Log(LogLevel::kWarning, "unit_failed",
      {{"lease", StrCat(lease)}, {"reason", status.ToString()}});
  proto::WorkerMessage message;
  message.mutable_failed()->set_lease(lease);
  message.mutable_failed()->set_code(status.raw_code());
  message.mutable_failed()->set_message(
      rpc::Utf8Prefix(StdView(status.message()), rpc::kMaxFailureBytes));
  return message;
}

}  // namespace

UnitLoop::UnitLoop(LocalTrainer& trainer, const WorkFolder& folder,
                   BlobCache& cache, Connection& connection, LeaseDesk& desk)
    : folder_(folder),
      cache_(cache),
      connection_(connection),
      desk_(desk),
      runner_(trainer, cache, connection.clock()) {}

absl::Status UnitLoop::Run() {
  while (true) {
    LeaseDesk::Event event = desk_.Next();
    if (event.end.has_value()) return *event.end;
    if (event.lease.has_value()) {
      unheard_.reset();  // another lease: the last answer has arrived
      Carry(*event.lease, event.stop);
    } else {
      OfferAgain();
    }
  }
}

void UnitLoop::Carry(const proto::Lease& lease, std::stop_token stop) {
  absl::Status computed;
  // A unit that comes again, under another lease, has the same result.
  if (!finished_.has_value() || !SameUnit(finished_->unit, lease.unit())) {
    computed = Compute(lease.unit(), stop);
  }
  LeaseDesk::Standing standing;
  do {
    standing = desk_.standing();
    Answer(standing, computed, stop);
  } while (!desk_.Finish(standing));
  cache_.Trim();
}

absl::Status UnitLoop::Compute(const proto::Unit& unit, std::stop_token stop) {
  DropFinished();
  const std::string path = folder_.File(StrCat("output-", ++outputs_));
  absl::StatusOr<proto::UnitResult> result = runner_.Run(
      unit, path, std::move(stop),
      [this](const StepProgress& progress) { desk_.Report(progress); });
  finished_ = Finished{.unit = unit, .path = path};
  if (!result.ok()) {
    DropFinished();
    return result.status();
  }
  finished_->result = *std::move(result);
  return absl::OkStatus();
}

void UnitLoop::DropFinished() {
  if (!finished_.has_value()) return;
  std::error_code absent;
  std::filesystem::remove(finished_->path, absent);
  finished_.reset();
}

void UnitLoop::Answer(const LeaseDesk::Standing& standing, absl::Status status,
                      std::stop_token stop) {
  using Stopped = LeaseDesk::Stopped;
  if (status.ok() && standing.stopped == Stopped::kNo) {
    status = Upload(connection_, standing.lease, finished_->result.output(),
                    finished_->path, stop);
    // Why it was stopped meanwhile decides what to say: look again.
    if (absl::IsCancelled(status) && stop.stop_requested()) return;
  }
  if (standing.stopped == Stopped::kReplaced ||
      standing.stopped == Stopped::kEnded) {
    return;
  }
  if (standing.stopped == Stopped::kCancelled) {
    status = absl::CancelledError(standing.reason);
  }
  unheard_ = status.ok() ? DoneMessage(standing.lease, finished_->result)
                         : FailedMessage(standing.lease, status);
  connection_.Send(*unheard_);
}

void UnitLoop::OfferAgain() {
  if (!unheard_.has_value()) return;
  if (unheard_->has_done()) {
    const absl::Status uploaded =
        Upload(connection_, unheard_->done().lease(),
               finished_->result.output(), finished_->path, desk_.end_token());
    if (!uploaded.ok()) {
      Log(LogLevel::kInfo, "result_dropped",
          {{"lease", StrCat(unheard_->done().lease())},
           {"reason", uploaded.ToString()}});
      unheard_.reset();
      return;
    }
  }
  connection_.Send(*unheard_);
}

}  // namespace meanfield
