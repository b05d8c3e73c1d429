#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "common/base/check.h"

namespace meanfield::testing {

namespace fs = std::filesystem;

namespace {

std::string TemporaryFile() {
  std::string path =
      (fs::temp_directory_path() / "meanfield-output-XXXXXX").string();
  const int fd = mkstemp(path.data());
  MEANFIELD_CHECK(fd >= 0, path);
  close(fd);
  return path;
}

std::string Slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct ProcessState {
  char code = '?';  // 'Z' is a zombie
  pid_t parent = 0;
};

std::optional<ProcessState> StateOf(pid_t pid) {
  const std::string text = Slurp("/proc/" + std::to_string(pid) + "/stat");
  const size_t after_name = text.rfind(')');
  if (after_name == std::string::npos) return std::nullopt;
  std::stringstream fields(text.substr(after_name + 1));
  ProcessState state;
  fields >> state.code >> state.parent;
  return state;
}

// In the child, between fork and exec.
[[noreturn]] void Become(const std::vector<std::string>& arguments,
                         const Process::Options& options, const std::string& in,
                         const std::string& out, const std::string& err) {
  dup2(open(in.c_str(), O_RDONLY), STDIN_FILENO);
  dup2(open(out.c_str(), O_WRONLY | O_APPEND), STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_APPEND), STDERR_FILENO);
  if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) _exit(126);
  for (const std::string& entry : options.environment) {
    putenv(const_cast<char*>(entry.c_str()));
  }
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, Options options)
    : out_path_(TemporaryFile()), err_path_(TemporaryFile()) {
  const std::string in_path = TemporaryFile();
  std::ofstream(in_path, std::ios::binary) << options.in;
  pid_ = fork();
  MEANFIELD_CHECK(pid_ >= 0, "fork failed");
  if (pid_ == 0) Become(arguments, options, in_path, out_path_, err_path_);
}

Process::~Process() {
  if (!Ended()) {
    Signal(SIGKILL);
    waitpid(pid_, &status_, 0);
  }
  fs::remove(out_path_);
  fs::remove(err_path_);
}

void Process::Signal(int signal) const { kill(pid_, signal); }

bool Process::Ended() {
  if (!reaped_) reaped_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return reaped_;
}

ProcessResult Process::Wait() {
  if (!reaped_) {
    waitpid(pid_, &status_, 0);
    reaped_ = true;
  }
  return {.exit_code = WIFEXITED(status_) ? WEXITSTATUS(status_)
                                          : 128 + WTERMSIG(status_),
          .out = Slurp(out_path_),
          .err = Slurp(err_path_)};
}

bool Process::WaitForOutput(const std::string& text) {
  while (true) {
    const bool ended = Ended();
    if (Slurp(out_path_).find(text) != std::string::npos ||
        Slurp(err_path_).find(text) != std::string::npos) {
      return true;
    }
    if (ended) return false;
    poll(nullptr, 0, /*timeout=*/5);
  }
}

std::string Process::Output() const { return Slurp(out_path_); }

ProcessResult RunProcess(const std::vector<std::string>& arguments,
                         Process::Options options) {
  return Process(arguments, std::move(options)).Wait();
}

std::string Program(const std::string& name) {
  return std::string(MEANFIELD_BINARY_DIR) + "/bin/" + name;
}

std::vector<pid_t> ChildrenOf(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (!std::all_of(name.begin(), name.end(), ::isdigit)) continue;
    const std::optional<ProcessState> state = StateOf(std::stoi(name));
    if (state.has_value() && state->parent == parent && state->code != 'Z') {
      children.push_back(std::stoi(name));
    }
  }
  return children;
}

void WaitUntilGone(pid_t pid) {
  while (true) {
    const std::optional<ProcessState> state = StateOf(pid);
    if (!state.has_value() || state->code == 'Z') return;
    poll(nullptr, 0, /*timeout=*/5);
  }
}

}  // namespace meanfield::testing
