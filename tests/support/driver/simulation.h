#ifndef MEANFIELD_TESTS_SUPPORT_DRIVER_SIMULATION_H_
#define MEANFIELD_TESTS_SUPPORT_DRIVER_SIMULATION_H_

#include <memory>
#include <string>
#include <vector>

#include "common/time/simulated_clock.h"
#include "coordinator/driver/coordinator.h"
#include "coordinator/driver/manual_executor.h"
#include "proto/event.pb.h"
#include "tests/support/driver/fake_worker.h"
#include "tests/support/driver/toy_trainer.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::testing {

// A coordinator and its workers on one thread, in virtual time: equal tests are
// equal programs.
class Simulation {
 public:
  explicit Simulation(round::Policy policy = {});
  ~Simulation();

  driver::Coordinator& coordinator() { return *coordinator_; }
  SimulatedClock& clock() { return clock_; }
  const TemporaryFolder& folder() const { return folder_; }

  // Connects a worker; it starts with the next Settle.
  std::shared_ptr<FakeWorker> AddWorker(const std::string& name,
                                        uint64_t incarnation = 1);
  std::shared_ptr<FakeWorker> AddWorkerOf(const std::string& numerics_class,
                                          const std::string& name);

  // The text of a job over ToyTexts, with these lines in it.
  struct Job {
    int shards = 4;
    int rounds = 3;
    bool dev_and_test = true;
    std::string more;
    // Of the text_classifier.
    std::string model =
        "embeddings { one_hot { embedding_size: 8 min_frequency: 1 } } bag {}";
  };
  std::string JobText(const Job& job) const;
  // The run's id; fails the test where the job is refused.
  std::string Submit(const Job& job);

  // Runs everything that can run without time passing.
  void Settle();
  // Runs the next piece of work; false where there is none.
  bool Step();
  // Moves time, an alarm at a time, and settles after each.
  void Advance(absl::Duration duration);

  proto::RunDetails Load(const std::string& run);
  // Everything that a watcher from `after` on is told until now.
  std::vector<proto::RunEvent> Events(const std::string& run,
                                      uint64_t after = 0);
  // As a restart does: the old coordinator ends, a new one opens its state. The
  // workers of the old one do nothing more.
  void Restart();
  // As after a kill -9 at this moment: a new coordinator opens a copy of what
  // the old one had on disk. The workers of the old one do nothing more.
  void Crash();

 private:
  void Create();
  std::string StateFolder() const;

  TemporaryFolder folder_;
  const round::Policy policy_;
  SimulatedClock clock_;
  int crashes_ = 0;
  driver::ManualExecutor actor_;
  driver::ManualExecutor background_;
  // The workers' units; the last is of the present coordinator.
  std::vector<std::unique_ptr<driver::ManualExecutor>> work_;
  std::vector<std::unique_ptr<ToyTrainer>> trainers_;
  std::unique_ptr<driver::Coordinator> coordinator_;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_SUPPORT_DRIVER_SIMULATION_H_
