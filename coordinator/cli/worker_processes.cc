#include "coordinator/cli/worker_processes.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/status.h"
#include "common/time/timed_wait.h"

extern char** environ;

namespace meanfield::cli {

namespace {

constexpr absl::Duration kGrace = absl::Seconds(5);
constexpr int kLastLines = 5;

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) {
    pointers.push_back(const_cast<char*>(text.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;  // the first of a name counts
  for (char** entry = environ; *entry != nullptr; ++entry) {
    all.emplace_back(*entry);
  }
  return all;
}

// Output to `log`, no signal blocked, a process group of its own: Ctrl-C on the
// terminal reaches us alone, and we decide what becomes of the workers.
absl::StatusOr<pid_t> Spawn(const std::string& program,
                            const std::vector<std::string>& arguments,
                            const std::vector<std::string>& environment,
                            const std::string& log) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY,
                                   0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, program.c_str(), &files, &attributes,
                  Pointers(arguments).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return ErrnoStatus(error, "start", program);
  return pid;
}

std::string LastLines(const std::string& log) {
  std::ifstream in(log);
  std::deque<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.find(" INFO ") != std::string::npos) continue;  // no reason to end
    lines.push_back(std::move(line));
    if (lines.size() > kLastLines) lines.pop_front();
  }
  std::string text;
  for (const std::string& line : lines) absl::StrAppend(&text, "\n    ", line);
  return text;
}

std::string Ending(const siginfo_t& end) {
  if (end.si_code == CLD_EXITED) {
    return absl::StrCat("ended with code ", end.si_status);
  }
  return absl::StrCat("was ended by signal ", end.si_status,
                      end.si_status == SIGKILL
                          ? " (killed; if you did not do it, the system may "
                            "have been out of memory)"
                          : "");
}

}  // namespace

std::string WorkerProgramPath() {
  const char* named = std::getenv("MEANFIELD_WORKER");
  if (named != nullptr) return named;
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() /
          "meanfield-worker")
      .string();
}

absl::StatusOr<std::string> FindWorkerProgram() {
  const std::string path = WorkerProgramPath();
  if (access(path.c_str(), X_OK) == 0) return path;
  return absl::NotFoundError(
      absl::StrCat("no worker program ", path,
                   "; run deploy/bootstrap.sh and build again (it is left out "
                   "without LibTorch), or name one in MEANFIELD_WORKER"));
}

absl::StatusOr<std::unique_ptr<WorkerProcesses>> WorkerProcesses::Start(
    const std::string& program, const std::vector<WorkerCommand>& commands,
    const std::string& log_folder, Clock& clock, EndedFn ended) {
  std::error_code error;
  std::filesystem::create_directories(log_folder, error);
  if (error) return ErrnoStatus(error.value(), "create", log_folder);
  std::unique_ptr<WorkerProcesses> processes(
      new WorkerProcesses(clock, std::move(ended)));
  for (const WorkerCommand& command : commands) {
    MEANFIELD_RETURN_IF_ERROR(processes->StartOne(
        program, command, absl::StrCat(log_folder, "/", command.name, ".log")));
  }
  return processes;
}

absl::Status WorkerProcesses::StartOne(const std::string& program,
                                       const WorkerCommand& command,
                                       const std::string& log) {
  std::vector<std::string> arguments = {program};
  arguments.insert(arguments.end(), command.arguments.begin(),
                   command.arguments.end());
  MEANFIELD_ASSIGN_OR_RETURN(
      const pid_t pid,
      Spawn(program, arguments, Environment(command.environment), log));
  size_t index = 0;
  {
    const MutexLock lock(mutex_);
    index = children_.size();
    children_.push_back({.name = command.name, .log = log, .pid = pid});
  }
  waiters_.emplace_back([this, index] { Wait(index); });
  return absl::OkStatus();
}

// Does not reap before the child is marked: a signal can then never reach
// another process that got the same id.
void WorkerProcesses::Wait(size_t index) {
  Child child;
  {
    const MutexLock lock(mutex_);
    child = children_[index];
  }
  siginfo_t end{};
  while (waitid(P_PID, child.pid, &end, WEXITED | WNOWAIT) != 0) {
  }
  bool by_itself = false;
  {
    const MutexLock lock(mutex_);
    children_[index].ended = true;
    by_itself = !stopping_;
    waitpid(child.pid, nullptr, 0);
    changed_.NotifyAll();
  }
  if (by_itself) {
    ended_(absl::StrCat("worker ", child.name, " (pid ", child.pid, ") ",
                        Ending(end), LastLines(child.log)));
  }
}

size_t WorkerProcesses::alive() const {
  const MutexLock lock(mutex_);
  return std::count_if(children_.begin(), children_.end(),
                       [](const Child& child) { return !child.ended; });
}

void WorkerProcesses::SignalAll(int signal) {
  const MutexLock lock(mutex_);
  for (const Child& child : children_) {
    if (!child.ended) kill(child.pid, signal);
  }
}

void WorkerProcesses::WaitForAll(absl::Duration limit) {
  const MutexLock lock(mutex_);
  stopping_ = true;
  WaitUntil(clock_, clock_.Now() + limit, mutex_, changed_,
            [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
              return std::all_of(
                  children_.begin(), children_.end(),
                  [](const Child& child) { return child.ended; });
            });
}

WorkerProcesses::~WorkerProcesses() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  SignalAll(SIGTERM);
  WaitForAll(kGrace);
  SignalAll(SIGKILL);
  for (std::thread& waiter : waiters_) waiter.join();
}

}  // namespace meanfield::cli
