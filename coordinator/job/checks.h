#ifndef MEANFIELD_COORDINATOR_JOB_CHECKS_H_
#define MEANFIELD_COORDINATOR_JOB_CHECKS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/job/findings.h"
#include "coordinator/job/position_table.h"

namespace meanfield::job {

enum class Interval {
  kPositive,     // above 0
  kNotNegative,  // 0 or more
  kFraction,     // above 0, below 1
  kBelowOne,     // 0 or more, below 1
};

// What the validators share: faults of a field, by its path, at the place where
// it (or the message around it) was written.
class Checks {
 public:
  Checks(const PositionTable& positions, Findings& findings)
      : positions_(positions), findings_(findings) {}

  // At the field's value, or at its name.
  void Wrong(std::string_view path, std::string message);
  void WrongField(std::string_view path, std::string message);
  void Warn(std::string_view path, std::string message);
  // `field` of the message at `path` is needed but absent. Silent where a fault
  // of the text is the reason.
  void Missing(std::string_view path, std::string_view field,
               std::string message);

  // The same for a oneof: one of `fields` is needed.
  void MissingAll(std::string_view path, const std::vector<std::string>& fields,
                  std::string message);

  void Whole(std::string_view path, uint64_t value, uint64_t low,
             uint64_t high);
  void Number(std::string_view path, double value, Interval interval);
  // `name` must be one of `known`.
  void OneOf(std::string_view path, std::string_view name,
             const std::vector<std::string>& known);

  const PositionTable& positions() const { return positions_; }

 private:
  const PositionTable& positions_;
  Findings& findings_;
};

// "task[0].training.batch_size" -> "batch_size".
std::string LastPart(std::string_view path);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_CHECKS_H_
