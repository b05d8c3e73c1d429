#ifndef MEANFIELD_COMMON_BASE_STATUS_H_
#define MEANFIELD_COMMON_BASE_STATUS_H_

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace meanfield {

// Same code, `context + ": " + message`. Use it where a status crosses a room.
absl::Status Annotate(const absl::Status& status, std::string_view context);

// UNAVAILABLE-free translation of errno: what was tried, on which path, what
// the system said. ENOSPC, EDQUOT and EFBIG become RESOURCE_EXHAUSTED,
// ENOENT NOT_FOUND, EACCES, EPERM and EROFS PERMISSION_DENIED, the rest
// INTERNAL.
absl::Status ErrnoStatus(int error, std::string_view tried,
                         std::string_view path);

}  // namespace meanfield

#define MEANFIELD_CONCAT_INNER_(a, b) a##b
#define MEANFIELD_CONCAT_(a, b) MEANFIELD_CONCAT_INNER_(a, b)

#define MEANFIELD_RETURN_IF_ERROR(expr)                                     \
  do {                                                                      \
    if (absl::Status meanfield_status_ = (expr); !meanfield_status_.ok()) { \
      return meanfield_status_;                                             \
    }                                                                       \
  } while (false)

#define MEANFIELD_ASSIGN_OR_RETURN(lhs, expr) \
  MEANFIELD_ASSIGN_OR_RETURN_IMPL_(           \
      MEANFIELD_CONCAT_(meanfield_statusor_, __LINE__), lhs, expr)

#define MEANFIELD_ASSIGN_OR_RETURN_IMPL_(statusor, lhs, expr) \
  auto statusor = (expr);                                     \
  if (!statusor.ok()) return statusor.status();               \
  lhs = std::move(statusor).value()

#endif  // MEANFIELD_COMMON_BASE_STATUS_H_
