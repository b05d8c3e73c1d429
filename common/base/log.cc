#include "common/base/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "common/base/mutex.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "spdlog/logger.h"
#include "spdlog/pattern_formatter.h"
#include "spdlog/sinks/basic_file_sink.h"
#include "spdlog/sinks/stdout_sinks.h"

namespace meanfield {
namespace {

// Writing to a closed pipe must not end the process, and whether it does is not
// this library's to decide for the whole process: SIGPIPE is held back from
// this thread, and what a write raised is taken away again.
class SigpipeGuard {
 public:
  SigpipeGuard() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    was_pending_ =
        sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~SigpipeGuard() {
    if (!was_pending_) {
      const timespec no_wait = {};
      while (sigtimedwait(&pipe_, nullptr, &no_wait) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_;
};

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

std::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "DEBUG";
    case LogLevel::kInfo:
      return "INFO";
    case LogLevel::kWarning:
      return "WARNING";
    case LogLevel::kError:
      return "ERROR";
  }
  return "INFO";
}

std::shared_ptr<spdlog::logger> MakeLogger(std::vector<spdlog::sink_ptr> sinks,
                                           LogLevel minimum) {
  auto logger =
      std::make_shared<spdlog::logger>("meanfield", sinks.begin(), sinks.end());
  logger->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      "%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc));
  logger->set_level(SpdlogLevel(minimum));
  logger->flush_on(spdlog::level::trace);
  // A full disk loses lines, never the run. Said once, on stderr.
  logger->set_error_handler([said = false](const std::string& fault) mutable {
    if (said) return;
    said = true;
    std::fprintf(stderr, "log lines are being lost: %s\n", fault.c_str());
  });
  return logger;
}

std::vector<spdlog::sink_ptr> StderrSink() {
  return {std::make_shared<spdlog::sinks::stderr_sink_mt>()};
}

// The logger and the program's name, together. Never destroyed: threads may
// log while the process ends.
class LogState {
 public:
  static LogState& Get() {
    static LogState& state = *new LogState;
    return state;
  }

  void Set(std::shared_ptr<spdlog::logger> logger, std::string program) {
    MutexLock lock(mutex_);
    logger_ = std::move(logger);
    program_ = std::move(program);
  }
  std::pair<std::shared_ptr<spdlog::logger>, std::string> Snapshot() {
    MutexLock lock(mutex_);
    return {logger_, program_};
  }

 private:
  Mutex mutex_;
  std::shared_ptr<spdlog::logger> logger_ ABSL_GUARDED_BY(mutex_) =
      MakeLogger(StderrSink(), LogLevel::kInfo);
  std::string program_ ABSL_GUARDED_BY(mutex_);
};

bool IsPlain(std::string_view value) {
  if (value.empty()) return false;
  for (const unsigned char c : value) {
    if (c <= ' ' || c == 0x7f || c == '"' || c == '\\') return false;
  }
  return true;
}

void AppendField(const LogField& field, std::string& line) {
  if (IsPlain(field.value)) {
    StrAppend(&line, " ", field.key, "=", field.value);
  } else {
    StrAppend(&line, " ", field.key, "=\"", absl::Utf8SafeCEscape(field.value),
              "\"");
  }
}

// An event may quote what a peer sent: no line of it may look like ours.
std::string OneLine(std::string_view event) {
  for (const unsigned char c : event) {
    if (c < ' ' || c == 0x7f) return absl::Utf8SafeCEscape(AbslView(event));
  }
  return std::string(event);
}

}  // namespace

void Log(LogLevel level, std::string_view event,
         std::initializer_list<LogField> fields) {
  const auto [logger, program] = LogState::Get().Snapshot();
  if (!logger->should_log(SpdlogLevel(level))) return;
  std::string line(LevelName(level));
  if (!program.empty()) StrAppend(&line, " ", program);
  StrAppend(&line, " ", OneLine(event));
  for (const LogField& field : fields) AppendField(field, line);
  const SigpipeGuard guard;
  logger->log(SpdlogLevel(level), spdlog::string_view_t(line));
}

absl::Status ConfigureLog(const LogOptions& options) {
  std::vector<spdlog::sink_ptr> sinks;
  if (options.to_stderr) sinks = StderrSink();
  if (!options.file.empty()) {
    // Opened once before, as spdlog's own attempt retries and hides errno.
    const int fd = open(options.file.c_str(),
                        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return ErrnoStatus(errno, "open log file", options.file);
    close(fd);
    try {
      sinks.push_back(
          std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.file));
    } catch (const spdlog::spdlog_ex& fault) {
      return absl::InternalError(
          StrCat("cannot open log file ", options.file, ": ", fault.what()));
    }
  }
  LogState::Get().Set(MakeLogger(std::move(sinks), options.minimum),
                      options.program);
  return absl::OkStatus();
}

}  // namespace meanfield
