#ifndef MEANFIELD_TESTS_SUPPORT_PROCESS_H_
#define MEANFIELD_TESTS_SUPPORT_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace meanfield::testing {

struct ProcessResult {
  int exit_code = -1;  // 128 + signal where a signal ended it
  std::string out;
  std::string err;
};

// A real program of the build under test. Its output goes to files, so that it
// never blocks on a pipe; the destructor kills it and waits.
class Process {
 public:
  struct Options {
    std::string folder;                    // working folder; empty: ours
    std::string in;                        // its standard input
    std::vector<std::string> environment;  // "NAME=value", added to ours
  };
  Process(const std::vector<std::string>& arguments, Options options);
  explicit Process(const std::vector<std::string>& arguments)
      : Process(arguments, Options()) {}
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int signal) const;
  // Blocks until it has ended.
  ProcessResult Wait();
  // Blocks until `text` stands in its standard output or error; false when it
  // ends without.
  bool WaitForOutput(const std::string& text);
  // What stands in its standard output now.
  std::string Output() const;

 private:
  bool Ended();
  pid_t pid_ = -1;
  int status_ = -1;
  bool reaped_ = false;
  std::string out_path_;
  std::string err_path_;
};

ProcessResult RunProcess(const std::vector<std::string>& arguments,
                         Process::Options options = {});

// Path of a program of this build, for example "meanfield".
std::string Program(const std::string& name);

// Process ids of the live children of a process.
std::vector<pid_t> ChildrenOf(pid_t parent);

// Blocks until the process is gone (a zombie counts as gone).
void WaitUntilGone(pid_t pid);

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_SUPPORT_PROCESS_H_
