#ifndef MEANFIELD_COORDINATOR_JOB_FAULT_H_
#define MEANFIELD_COORDINATOR_JOB_FAULT_H_

#include <string>

namespace meanfield::job {

// A fault of a job file or an override. Lines and columns (in characters) count
// from 1; 0 where a fault has no position (then `message` names the field).
struct Fault {
  std::string file;  // an override's is "--set path=value"
  int line = 0;
  int column = 0;
  std::string message;

  friend bool operator==(const Fault&, const Fault&) = default;
};

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_FAULT_H_
