#ifndef MEANFIELD_COORDINATOR_DRIVER_EVENT_LOG_H_
#define MEANFIELD_COORDINATOR_DRIVER_EVENT_LOG_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "coordinator/driver/event_sink.h"
#include "proto/event.pb.h"

namespace meanfield::driver {

// The events of one run, numbered from 1, and who watches them. Bounded: of the
// progress events only the last is kept, of the others the newest 10,000. Actor
// thread only.
class EventLog {
 public:
  void Append(proto::RunEvent event, absl::Time wall_now);
  // Delivers what is kept after `after_sequence`, then everything new.
  void Subscribe(uint64_t after_sequence, std::shared_ptr<EventSink> sink);
  // RunEvent::Ended was appended.
  bool ended() const { return ended_; }

 private:
  uint64_t next_sequence_ = 1;
  bool ended_ = false;
  std::deque<proto::RunEvent> events_;
  std::vector<std::shared_ptr<EventSink>> sinks_;
};

// The log of a run of which only the records are left: its rounds, its tests,
// its end. Where it goes on, without the round whose evaluation is due.
EventLog LogFromRecords(const proto::RunDetails& run);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_EVENT_LOG_H_
