#ifndef MEANFIELD_COORDINATOR_REPORT_OUTPUT_FILE_H_
#define MEANFIELD_COORDINATOR_REPORT_OUTPUT_FILE_H_

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace meanfield::report {

// Writes the bytes where the file does not hold them yet; readers see the old
// file or the new one, never a part.
absl::Status WriteIfChanged(const std::string& path, std::string_view bytes);

// The same for a file that `write` makes at the path it is given.
absl::Status ReplaceIfChanged(
    const std::string& path,
    absl::FunctionRef<absl::Status(const std::string& part)> write);

// Gives a file that will never change a second name, or copies it where the
// file systems differ. Nothing where `path` is that file already.
absl::Status LinkOrCopy(const std::string& source, const std::string& path);

}  // namespace meanfield::report

#endif  // MEANFIELD_COORDINATOR_REPORT_OUTPUT_FILE_H_
