#include "coordinator/service/watch_stream.h"

#include <utility>

#include "common/rpc/grpc_status.h"

namespace meanfield::service {
namespace {

constexpr size_t kMaxQueued = 64;

}  // namespace

WatchStream::WatchStream(CallEnvironment& environment,
                         const proto::WatchRequest& request)
    : environment_(environment),
      run_(request.run()),
      last_sequence_(request.after_sequence()) {}

void WatchStream::Begin() {
  self_ = shared_from_this();
  const bool added = environment_.transfers.Add(this);
  const MutexLock lock(mutex_);
  if (added) {
    PostSubscribe();
  } else {
    End(absl::UnavailableError("the coordinator goes down"));
    Pump();
  }
}

void WatchStream::PostSubscribe() {
  subscribing_ = true;
  overflowed_ = false;
  environment_.io.Post([self = shared_from_this()] { self->Subscribe(); });
}

void WatchStream::Subscribe() {
  uint64_t after = 0;
  {
    const MutexLock lock(mutex_);
    after = last_sequence_;
  }
  subscription_.reset();
  auto subscription = environment_.runs.Watch(
      run_, after, [self = shared_from_this()](const proto::RunEvent& event) {
        self->Take(event);
      });
  if (subscription.ok()) subscription_ = *std::move(subscription);
  const MutexLock lock(mutex_);
  subscribing_ = false;
  if (!subscription.ok()) End(subscription.status());
  Pump();
}

void WatchStream::Take(const proto::RunEvent& event) {
  const MutexLock lock(mutex_);
  if (end_.has_value() || overflowed_) return;
  if (event.has_progress()) {
    TakeProgress(event);
  } else if (event.sequence() <= last_sequence_) {
    return;  // left over from an earlier subscription
  } else if (queue_.size() >= kMaxQueued) {
    overflowed_ = true;
  } else {
    queue_.push_back(event);
    last_sequence_ = event.sequence();
    if (event.has_ended()) End(absl::OkStatus());
  }
  Pump();
}

void WatchStream::TakeProgress(const proto::RunEvent& event) {
  std::erase_if(queue_,
                [](const proto::RunEvent& e) { return e.has_progress(); });
  if (queue_.size() < kMaxQueued) queue_.push_back(event);
}

void WatchStream::End(const absl::Status& why) {
  if (!end_.has_value()) end_ = why;
}

void WatchStream::Pump() {
  // Starting an operation never calls back from here, so the lock may be held.
  if (finished_ || writing_) return;
  if (!queue_.empty()) {
    out_ = std::move(queue_.front());
    queue_.pop_front();
    writing_ = true;
    StartWrite(&out_);
  } else if (subscribing_) {
    return;
  } else if (end_.has_value()) {
    finished_ = true;
    Finish(rpc::ToGrpcStatus(*end_));
  } else if (overflowed_) {
    PostSubscribe();
  }
}

void WatchStream::OnWriteDone(bool ok) {
  const MutexLock lock(mutex_);
  writing_ = false;
  if (!ok) {
    queue_.clear();
    End(absl::CancelledError("nobody reads"));
  }
  Pump();
}

void WatchStream::Drain(const absl::Status& why) {
  const MutexLock lock(mutex_);
  End(why);
  Pump();
}

void WatchStream::OnCancel() {
  const MutexLock lock(mutex_);
  queue_.clear();
  End(absl::CancelledError("nobody reads"));
  Pump();
}

void WatchStream::OnDone() {
  environment_.transfers.Remove(this);
  environment_.io.Post(
      [self = std::move(self_)] { self->subscription_.reset(); });
}

}  // namespace meanfield::service
