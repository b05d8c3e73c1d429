#ifndef MEANFIELD_COORDINATOR_JOB_OVERRIDE_PATH_H_
#define MEANFIELD_COORDINATOR_JOB_OVERRIDE_PATH_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meanfield::job {

// "task[ner].training" in parts.
struct PathPart {
  std::string name;
  std::optional<std::string> selector;  // what stands in brackets
  int column = 0;                       // of the name, from 1
};

// What is wrong with a path, and where.
struct PathFault {
  int column = 0;
  std::string message;
};

struct PathResult {
  std::vector<PathPart> parts;
  std::optional<PathFault> fault;
};
PathResult SplitPath(std::string_view path);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_OVERRIDE_PATH_H_
