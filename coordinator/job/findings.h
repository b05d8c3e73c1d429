#ifndef MEANFIELD_COORDINATOR_JOB_FINDINGS_H_
#define MEANFIELD_COORDINATOR_JOB_FINDINGS_H_

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/job/fault.h"

namespace meanfield::job {

// A place in the job file (source 0) or in an override (source 1, 2, …). Line
// and column count from 1; 0: no place.
struct Position {
  int source = 0;
  int line = 0;
  int column = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

// Faults and warnings on their way to the user.
class Findings {
 public:
  // What a user can read at once; a binary file has thousands.
  static constexpr size_t kMaxFaults = 100;

  // `job_file` names source 0.
  explicit Findings(std::string_view job_file);
  // Names the next source; its number.
  int AddSource(std::string_view name);

  void AddFault(const Position& position, std::string_view message);
  void AddWarning(const Position& position, std::string_view message);

  bool has_faults() const { return num_faults_ > 0; }
  // In the order of the text, each once; the last one counts those beyond
  // kMaxFaults.
  std::vector<Fault> Faults() const;
  // "file:line:column: message", in the order of the text.
  std::vector<std::string> Warnings() const;

  // "3:5", or with the source's name where it is another one than `from`'s.
  std::string Describe(const Position& position, const Position& from) const;

 private:
  struct Finding {
    Position position;
    std::string message;
    friend auto operator<=>(const Finding&, const Finding&) = default;
  };
  Fault ToFault(const Finding& finding) const;

  std::vector<std::string> sources_;
  std::vector<Finding> faults_;
  std::vector<Finding> warnings_;
  size_t num_faults_ = 0;
};

// "file:line:column: message", without what is not known.
std::string FormatFault(const Fault& fault);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_FINDINGS_H_
