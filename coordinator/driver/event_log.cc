#include "coordinator/driver/event_log.h"

#include <algorithm>
#include <utility>

#include "coordinator/driver/run_state.h"

namespace meanfield::driver {
namespace {

constexpr size_t kKeptEvents = 10'000;

const proto::Verdict* FindVerdict(const proto::RunDetails& run,
                                  uint32_t round) {
  for (const proto::Verdict& verdict : run.verdicts()) {
    if (verdict.round() == round) return &verdict;
  }
  return nullptr;
}

}  // namespace

void EventLog::Append(proto::RunEvent event, absl::Time wall_now) {
  event.set_sequence(next_sequence_++);
  event.set_unix_ms(absl::ToUnixMillis(wall_now));
  ended_ = ended_ || event.has_ended();
  if (!events_.empty() && events_.back().has_progress()) events_.pop_back();
  if (events_.size() == kKeptEvents) events_.pop_front();
  events_.push_back(std::move(event));
  std::erase_if(sinks_, [](const auto& sink) { return sink->closed(); });
  for (const auto& sink : sinks_) sink->Deliver(events_.back());
}

void EventLog::Subscribe(uint64_t after_sequence,
                         std::shared_ptr<EventSink> sink) {
  for (const proto::RunEvent& event : events_) {
    if (event.sequence() > after_sequence) sink->Deliver(event);
  }
  if (!ended_) sinks_.push_back(std::move(sink));
}

EventLog LogFromRecords(const proto::RunDetails& run) {
  EventLog log;
  const absl::Time time = absl::FromUnixMillis(run.run().ended_unix_ms());
  for (const proto::RoundRecord& record : run.rounds()) {
    const auto* verdict = FindVerdict(run, record.plan().round());
    const bool to_come = record.plan().evaluate() && verdict == nullptr &&
                         !IsEnd(run.run().state());
    if (to_come) continue;
    proto::RunEvent event;
    *event.mutable_round()->mutable_record() = record;
    event.mutable_round()->set_rounds_planned(
        std::max(run.run().job().stop().max_rounds(),
                 static_cast<uint32_t>(run.rounds_size())));
    if (verdict != nullptr)
      *event.mutable_round()->mutable_verdict() = *verdict;
    log.Append(std::move(event), time);
  }
  for (const proto::EvaluationRecord& test : run.tests()) {
    proto::RunEvent event;
    *event.mutable_test() = test;
    log.Append(std::move(event), time);
  }
  if (IsEnd(run.run().state())) {
    proto::RunEvent event;
    event.mutable_ended()->set_state(run.run().state());
    event.mutable_ended()->set_reason(run.run().reason());
    log.Append(std::move(event), time);
  }
  return log;
}

}  // namespace meanfield::driver
