#ifndef MEANFIELD_COORDINATOR_CLI_WORKER_PROCESSES_H_
#define MEANFIELD_COORDINATOR_CLI_WORKER_PROCESSES_H_

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/time/clock.h"

namespace meanfield::cli {

struct WorkerCommand {
  std::string name;                      // "cpu-0", "gpu-2"
  std::vector<std::string> arguments;    // besides the program
  std::vector<std::string> environment;  // "NAME=value", added to ours
};

// The meanfield-worker that belongs to this program: MEANFIELD_WORKER, or the
// file beside our own.
std::string WorkerProgramPath();
// The same; NOT_FOUND where there is none says how to get one.
absl::StatusOr<std::string> FindWorkerProgram();

// The worker processes of one command, each with its output in a file of its
// own. None outlives this object, nor our process: they ask the kernel for a
// signal at the death of their parent (so start them on the main thread).
class WorkerProcesses {
 public:
  // Called once for each process that ends by itself, on a thread of this
  // object: why ("worker cpu-1 (pid 42) was ended by signal 9"), with the last
  // lines of its output.
  using EndedFn = std::function<void(const std::string& why)>;

  // Starts them all, or none: NOT_FOUND, RESOURCE_EXHAUSTED, …
  static absl::StatusOr<std::unique_ptr<WorkerProcesses>> Start(
      const std::string& program, const std::vector<WorkerCommand>& commands,
      const std::string& log_folder, Clock& clock, EndedFn ended);
  // Asks those that live to end, waits some seconds, then kills.
  ~WorkerProcesses();
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;

  size_t alive() const;
  // Blocks until none lives, or for so long. Ends from here on are no news.
  void WaitForAll(absl::Duration limit);

 private:
  struct Child {
    std::string name;
    std::string log;
    pid_t pid = 0;
    bool ended = false;
  };
  WorkerProcesses(Clock& clock, EndedFn ended)
      : clock_(clock), ended_(std::move(ended)) {}
  absl::Status StartOne(const std::string& program,
                        const WorkerCommand& command, const std::string& log);
  void Wait(size_t index);
  void SignalAll(int signal);

  Clock& clock_;
  const EndedFn ended_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<Child> children_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> waiters_;  // main thread only
};

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_WORKER_PROCESSES_H_
