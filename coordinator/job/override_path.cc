#include "coordinator/job/override_path.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "common/base/strings.h"

namespace meanfield::job {
namespace {

bool IsNameCharacter(char c) { return absl::ascii_isalnum(c) || c == '_'; }

PathResult FaultAt(size_t offset, std::string message) {
  return {{}, PathFault{static_cast<int>(offset) + 1, std::move(message)}};
}

}  // namespace

PathResult SplitPath(std::string_view path) {
  PathResult result;
  size_t next = 0;
  while (true) {
    const size_t begin = next;
    while (next < path.size() && IsNameCharacter(path[next])) ++next;
    if (next == begin) {
      return FaultAt(
          next,
          next == path.size() || path[next] == '.' || path[next] == '['
              ? "a part of the path is missing"
              : StrCat("unexpected '", path.substr(next, 1), "' in the path"));
    }
    PathPart part = {std::string(path.substr(begin, next - begin)),
                     std::nullopt, static_cast<int>(begin) + 1};
    if (next < path.size() && path[next] == '[') {
      const size_t end = path.find(']', next);
      if (end == std::string_view::npos || end == next + 1) {
        return FaultAt(next, "expected [NAME] or [NUMBER]");
      }
      part.selector = std::string(path.substr(next + 1, end - next - 1));
      next = end + 1;
    }
    result.parts.push_back(std::move(part));
    if (next == path.size()) return result;
    if (path[next] != '.') {
      return FaultAt(next, StrCat("expected '.' or '=', found '",
                                  path.substr(next, 1), "'"));
    }
    ++next;
  }
}

}  // namespace meanfield::job
