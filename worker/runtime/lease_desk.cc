#include "worker/runtime/lease_desk.h"

#include <utility>

#include "google/protobuf/util/message_differencer.h"

namespace meanfield {

bool SameUnit(const proto::Unit& a, const proto::Unit& b) {
  return google::protobuf::util::MessageDifferencer::Equals(a, b);
}

void LeaseDesk::OnSession() {
  const MutexLock lock(mutex_);
  new_session_ = true;
  changed_.NotifyAll();
}

void LeaseDesk::OnLease(const proto::Lease& lease) {
  std::stop_source stop(std::nostopstate);
  {
    const MutexLock lock(mutex_);
    if (active_.has_value() && active_->standing.stopped == Stopped::kNo &&
        SameUnit(active_->unit, lease.unit())) {
      active_->standing.lease = lease.id();
      return;
    }
    pending_ = lease;
    stop = StopActive(Stopped::kReplaced);
    changed_.NotifyAll();
  }
  stop.request_stop();
}

bool LeaseDesk::OnCancel(uint64_t lease, const std::string& reason) {
  std::stop_source stop(std::nostopstate);
  {
    const MutexLock lock(mutex_);
    if (pending_.has_value() && pending_->id() == lease) pending_.reset();
    if (!active_.has_value() || active_->standing.lease != lease ||
        active_->standing.stopped != Stopped::kNo) {
      return false;
    }
    active_->standing.reason = reason;
    stop = StopActive(Stopped::kCancelled);
  }
  stop.request_stop();
  return true;
}

void LeaseDesk::OnEnd(const absl::Status& why) {
  std::stop_source stop(std::nostopstate);
  {
    const MutexLock lock(mutex_);
    if (end_.has_value()) return;
    end_ = why;
    stop = StopActive(Stopped::kEnded);
    changed_.NotifyAll();
  }
  stop.request_stop();
  end_stop_.request_stop();
}

std::stop_source LeaseDesk::StopActive(Stopped why) {
  if (!active_.has_value()) return std::stop_source(std::nostopstate);
  // A cancelled lease is answered even when another one follows at once.
  if (active_->standing.stopped == Stopped::kNo || why == Stopped::kEnded) {
    active_->standing.stopped = why;
  }
  return active_->stop;
}

std::optional<proto::Progress> LeaseDesk::progress() const {
  const MutexLock lock(mutex_);
  if (!active_.has_value()) return std::nullopt;
  proto::Progress progress;
  progress.set_lease(active_->standing.lease);
  progress.set_steps_done(active_->progress.steps_done);
  progress.set_tokens_done(active_->progress.tokens_done);
  progress.set_loss_sum(active_->progress.loss_sum);
  progress.set_loss_count(active_->progress.loss_count);
  return progress;
}

LeaseDesk::Event LeaseDesk::Next() {
  const MutexLock lock(mutex_);
  while (!end_.has_value() && !new_session_ && !pending_.has_value()) {
    changed_.Wait(mutex_);
  }
  if (end_.has_value()) return {.end = end_};
  if (std::exchange(new_session_, false)) return {};
  active_.emplace();
  active_->unit = pending_->unit();
  active_->standing.lease = pending_->id();
  return {.lease = std::exchange(pending_, std::nullopt),
          .stop = active_->stop.get_token()};
}

void LeaseDesk::Report(const StepProgress& progress) {
  const MutexLock lock(mutex_);
  active_->progress = progress;
}

LeaseDesk::Standing LeaseDesk::standing() const {
  const MutexLock lock(mutex_);
  return active_->standing;
}

bool LeaseDesk::Finish(const Standing& answered) {
  const MutexLock lock(mutex_);
  if (active_->standing != answered) return false;
  active_.reset();
  return true;
}

}  // namespace meanfield
