#include "coordinator/service/transfer_watch.h"

namespace meanfield::service {

TransferWatch::TransferWatch(CallEnvironment& environment,
                             grpc::CallbackServerContext* context)
    : environment_(environment), context_(context) {
  if (!environment_.transfers.Add(this)) {
    Drain(absl::UnavailableError("the coordinator goes down"));
  }
}

TransferWatch::~TransferWatch() { environment_.transfers.Remove(this); }

void TransferWatch::PeerTurn() {
  const MutexLock lock(mutex_);
  waiting_ = environment_.clock.Now();
}

void TransferWatch::OwnTurn() {
  const MutexLock lock(mutex_);
  waiting_.reset();
}

std::optional<absl::Status> TransferWatch::drained() {
  const MutexLock lock(mutex_);
  return drained_;
}

void TransferWatch::Sweep(absl::Time now) {
  const MutexLock lock(mutex_);
  if (waiting_.has_value() && now - *waiting_ > environment_.silence_limit) {
    context_->TryCancel();
  }
}

void TransferWatch::Drain(const absl::Status& why) {
  const MutexLock lock(mutex_);
  drained_ = why;
  if (waiting_.has_value()) context_->TryCancel();
}

}  // namespace meanfield::service
