#ifndef MEANFIELD_COORDINATOR_CLI_DOCTOR_H_
#define MEANFIELD_COORDINATOR_CLI_DOCTOR_H_

#include <string>
#include <vector>

namespace meanfield::cli {

// One thing that was looked at on this machine.
struct Finding {
  enum class Level { kFine, kNote, kMissing };
  Level level = Level::kFine;
  std::string subject;  // "memory", "worker", ...
  std::string seen;
  std::string advice;  // what to do; empty where all is well
};

// Looks at system, processor, memory, GPUs, the worker program and its
// LibTorch, and the space for temporary files. Changes nothing.
std::vector<Finding> ExamineMachine(const std::string& worker_program);

// A table for a person, or a JSON array.
std::string FindingsText(const std::vector<Finding>& findings);
std::string FindingsJson(const std::vector<Finding>& findings);

// 0, or 1 where something is missing.
int DoctorExitCode(const std::vector<Finding>& findings);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_DOCTOR_H_
