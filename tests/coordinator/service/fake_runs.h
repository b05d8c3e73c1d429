#ifndef MEANFIELD_TESTS_COORDINATOR_SERVICE_FAKE_RUNS_H_
#define MEANFIELD_TESTS_COORDINATOR_SERVICE_FAKE_RUNS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/strings.h"
#include "coordinator/driver/runs.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::testing {

// One run, "run-1", whose events the test publishes. As the driver, it keeps
// all events but progress.
class FakeRuns : public driver::Runs {
 public:
  using Sink = std::function<void(const proto::RunEvent&)>;

  void Publish(proto::RunEvent event) {
    const MutexLock lock(mutex_);
    event.set_sequence(++sequence_);
    if (!event.has_progress()) history_.push_back(event);
    for (const auto& [id, sink] : sinks_) sink(event);
  }
  void PublishNote(const std::string& text) {
    proto::RunEvent event;
    event.mutable_note()->set_text(text);
    Publish(event);
  }
  void PublishProgress(uint64_t steps, size_t padding = 0) {
    proto::RunEvent event;
    event.mutable_progress()->set_steps_done(steps);
    event.mutable_progress()->add_workers()->set_worker(
        std::string(padding, 'x'));
    Publish(event);
  }
  void PublishEnd() {
    proto::RunEvent event;
    event.mutable_ended()->set_state(proto::DONE);
    Publish(event);
  }
  int subscriptions() {
    const MutexLock lock(mutex_);
    return next_;
  }
  size_t live_sinks() {
    const MutexLock lock(mutex_);
    return sinks_.size();
  }

  std::vector<job::JobSource> submitted;
  absl::Status submit_status;
  std::vector<std::pair<std::string, std::string>> cancelled;

  std::vector<driver::WorkerView> workers;

  // ---- driver::Runs
  absl::StatusOr<std::string> Submit(const job::JobSource& source) override {
    submitted.push_back(source);
    if (!submit_status.ok()) return submit_status;
    return "run-1";
  }
  absl::Status Cancel(const std::string& run,
                      const std::string& reason) override {
    if (run != "run-1") return Unknown(run);
    cancelled.emplace_back(run, reason);
    return absl::OkStatus();
  }
  absl::StatusOr<std::shared_ptr<driver::Subscription>> Watch(
      const std::string& run, uint64_t after, Sink sink) override {
    if (run != "run-1") return Unknown(run);
    const MutexLock lock(mutex_);
    for (const proto::RunEvent& event : history_) {
      if (event.sequence() > after) sink(event);
    }
    sinks_[next_] = std::move(sink);
    return std::make_shared<Ticket>(*this, next_++);
  }
  std::vector<driver::WorkerView> Workers() override { return workers; }
  store::RunStore& store() override {
    if (store_ == nullptr) {
      auto opened = store::RunStore::Open(folder_.File("state"));
      EXPECT_OK(opened);
      store_ = *std::move(opened);
    }
    return *store_;
  }

 private:
  struct Ticket : driver::Subscription {
    Ticket(FakeRuns& runs, int id) : runs(runs), id(id) {}
    ~Ticket() override {
      Sink last;  // destroyed without the lock: it may own this ticket's owner
      const MutexLock lock(runs.mutex_);
      last = std::move(runs.sinks_[id]);
      runs.sinks_.erase(id);
    }
    FakeRuns& runs;
    const int id;
  };
  static absl::Status Unknown(const std::string& run) {
    return absl::NotFoundError(StrCat("no run ", run));
  }

  const TemporaryFolder folder_;
  std::unique_ptr<store::RunStore> store_;
  Mutex mutex_;
  uint64_t sequence_ = 0;
  int next_ = 0;
  std::vector<proto::RunEvent> history_;
  std::map<int, Sink> sinks_;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_COORDINATOR_SERVICE_FAKE_RUNS_H_
