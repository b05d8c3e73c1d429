#ifndef MEANFIELD_COORDINATOR_DRIVER_RUN_STATE_H_
#define MEANFIELD_COORDINATOR_DRIVER_RUN_STATE_H_

#include "absl/status/status.h"
#include "proto/record.pb.h"

namespace meanfield::driver {

// The state of a run that ended with this status.
inline proto::RunState EndState(const absl::Status& status) {
  if (status.ok()) return proto::DONE;
  if (absl::IsCancelled(status)) return proto::CANCELLED;
  if (absl::IsUnavailable(status)) return proto::STARVED;
  return proto::FAILED;
}

// Nothing will happen to the run any more.
inline bool IsEnd(proto::RunState state) {
  return state == proto::DONE || state == proto::FAILED ||
         state == proto::CANCELLED || state == proto::STARVED;
}

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_RUN_STATE_H_
