#ifndef MEANFIELD_COORDINATOR_CLI_OUT_FOLDER_H_
#define MEANFIELD_COORDINATOR_CLI_OUT_FOLDER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace meanfield::cli {

// "runs/<job>-<UTC time>", the output folder where none is named.
std::string DefaultOutFolder(const std::string& job, absl::Time now);

// A new, or empty, output folder; what Create made is gone again after
// RemoveWhatWasMade, the folders above it included where they were made, too.
class OutFolder {
 public:
  // INVALID_ARGUMENT where there is something in it already.
  static absl::StatusOr<OutFolder> Create(const std::string& path);

  const std::string& path() const { return path_; }  // absolute
  void RemoveWhatWasMade();

 private:
  std::string path_;
  std::string made_from_;  // topmost folder that was made; empty: none
};

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_OUT_FOLDER_H_
