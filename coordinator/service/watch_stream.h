#ifndef MEANFIELD_COORDINATOR_SERVICE_WATCH_STREAM_H_
#define MEANFIELD_COORDINATOR_SERVICE_WATCH_STREAM_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "coordinator/driver/runs.h"
#include "coordinator/service/call_environment.h"
#include "coordinator/service/live_calls.h"
#include "grpcpp/support/server_callback.h"
#include "proto/coordinator.pb.h"

namespace meanfield::service {

// The events of a run to one reader, who may be slow: of waiting progress
// events only the newest is kept. Others wait in a bounded queue; when it is
// full, what comes is left to the driver and asked for again, from the last
// sequence number on, when the reader has caught up. So no event but progress
// is lost, and memory stays bounded.
class WatchStream : public grpc::ServerWriteReactor<proto::RunEvent>,
                    public LiveCall,
                    public std::enable_shared_from_this<WatchStream> {
 public:
  WatchStream(CallEnvironment& environment, const proto::WatchRequest& request);
  // Subscribes. The call keeps its object alive.
  void Begin();

  void Sweep(absl::Time /*now*/) override {}  // readers may be slow
  void Drain(const absl::Status& why) override;

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  void Subscribe();  // on an io thread
  void PostSubscribe() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Take(const proto::RunEvent& event);
  void TakeProgress(const proto::RunEvent& event)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End(const absl::Status& why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Pump() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  CallEnvironment& environment_;
  const std::string run_;
  std::shared_ptr<WatchStream> self_;  // until OnDone
  // Owned by the io closure of the moment, then by OnDone.
  std::shared_ptr<driver::Subscription> subscription_;
  proto::RunEvent out_;  // of the write in flight

  Mutex mutex_;
  std::deque<proto::RunEvent> queue_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_sequence_ ABSL_GUARDED_BY(mutex_);  // that was queued
  bool overflowed_ ABSL_GUARDED_BY(mutex_) = false;
  bool subscribing_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_WATCH_STREAM_H_
