#ifndef MEANFIELD_COMMON_BASE_LOG_H_
#define MEANFIELD_COMMON_BASE_LOG_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "common/base/strings.h"

namespace meanfield {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// One `key=value` of a log line; values with blanks are quoted.
struct LogField {
  // Text or number, whatever StrCat takes.
  template <typename T>
  LogField(std::string_view key, const T& value)
      : key(key), value(StrCat(value)) {}
  std::string key;
  std::string value;
};

// One line: time, level, event, fields. One line per state change, none per
// chunk or step. Any thread. The sink is stderr until ConfigureLog.
void Log(LogLevel level, std::string_view event,
         std::initializer_list<LogField> fields = {});

struct LogOptions {
  LogLevel minimum = LogLevel::kInfo;
  std::string file;  // appended to, besides stderr; empty: none
  bool to_stderr = true;
  std::string program;  // first word of each line
};

// Before other threads start; again to add a file. Errors name the file.
absl::Status ConfigureLog(const LogOptions& options);

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_BASE_LOG_H_
