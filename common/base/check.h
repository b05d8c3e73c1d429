#ifndef MEANFIELD_COMMON_BASE_CHECK_H_
#define MEANFIELD_COMMON_BASE_CHECK_H_

#include <string_view>

namespace meanfield {

// Prints file, line, condition and message to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              std::string_view message);

}  // namespace meanfield

// For bugs of ours only; what a peer, a disk or a user did wrong is a Status.
#define MEANFIELD_CHECK(condition, message)                              \
  do {                                                                   \
    if (!(condition)) {                                                  \
      ::meanfield::CheckFailed(__FILE__, __LINE__, #condition, message); \
    }                                                                    \
  } while (false)

#endif  // MEANFIELD_COMMON_BASE_CHECK_H_
