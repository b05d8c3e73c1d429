#include "coordinator/store/database.h"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include <cerrno>
#include <utility>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/store/schema.h"

namespace meanfield::store {

namespace {

// For another program that looks into the file at the same time.
constexpr int kBusyTimeoutMs = 5000;

struct Diagnosis {
  absl::StatusCode code;
  std::string_view advice;
};

Diagnosis DiskFault(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return {absl::StatusCode::kResourceExhausted,
              "the disk is full; free some space, then train again"};
    case EACCES:
    case EPERM:
    case EROFS:
      return {absl::StatusCode::kPermissionDenied,
              "check the owner and the permissions of the file and its "
              "folder, and that the file system is not mounted read-only"};
    default:
      return {absl::StatusCode::kInternal,
              "the disk may be failing; see the system's log"};
  }
}

Diagnosis DiagnosisOf(int code, int system_error) {
  switch (code & 0xFF) {  // the primary code
    case SQLITE_FULL:
      return DiskFault(ENOSPC);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return DiskFault(EACCES);
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
      return DiskFault(system_error);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {absl::StatusCode::kDataLoss,
              "the file is damaged; restore it from a backup, or move it (and "
              "the files named like it, -wal and -shm) away to begin anew: "
              "its runs are lost then"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {absl::StatusCode::kUnavailable,
              "another program has it locked; end that one"};
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return {absl::StatusCode::kResourceExhausted, "memory is exhausted"};
    default:
      return {absl::StatusCode::kInternal, "this is a bug of Meanfield"};
  }
}

absl::Status FromException(const SQLite::Exception& exception, int system_error,
                           std::string_view tried, const std::string& path) {
  const Diagnosis diagnosis =
      DiagnosisOf(exception.getErrorCode(), system_error);
  return absl::Status(
      diagnosis.code,
      StrCat("cannot ", tried, " in ", path, ": ", exception.what(),
             " (SQLite code ", exception.getExtendedErrorCode(),
             "): ", diagnosis.advice));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> Database::Open(
    const std::string& path) {
  auto database = std::unique_ptr<Database>(new Database(path));
  MEANFIELD_RETURN_IF_ERROR(database->Prepare());
  return database;
}

Database::Database(const std::string& path) : path_(path) {}

absl::Status Database::Prepare() {
  MutexLock lock(mutex_);
  constexpr std::string_view kTried = "open the records";
  try {
    connection_ = std::make_unique<SQLite::Database>(
        path_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyTimeoutMs);
  } catch (const SQLite::Exception& exception) {
    return FromException(exception, errno, kTried, path_);
  }
  return Guarded(kTried, [this](SQLite::Database& database) -> absl::Status {
    // SQLite falls back to reading only, without a word.
    if (sqlite3_db_readonly(database.getHandle(), "main") == 1) {
      throw SQLite::Exception("no write permission", SQLITE_READONLY);
    }
    const std::string check =
        database.execAndGet("PRAGMA quick_check(1)").getString();
    if (check != "ok") throw SQLite::Exception(check, SQLITE_CORRUPT);
    MEANFIELD_RETURN_IF_ERROR(Migrate(database, path_));
    const std::string mode =
        database.execAndGet("PRAGMA journal_mode = WAL").getString();
    if (mode != "wal") {
      return absl::FailedPreconditionError(
          StrCat("cannot keep a write-ahead log for ", path_,
                 ": the file system has no shared memory maps; use a folder "
                 "on a local disk"));
    }
    database.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    return absl::OkStatus();
  });
}

absl::Status Database::Write(std::string_view tried, Work work) {
  MutexLock lock(mutex_);
  return Transact("BEGIN IMMEDIATE", tried, work);
}

absl::Status Database::Read(std::string_view tried, Work work) {
  MutexLock lock(mutex_);
  return Transact("BEGIN", tried, work);
}

absl::Status Database::Transact(const char* begin, std::string_view tried,
                                Work work) {
  const absl::Status status =
      Guarded(tried, [&](SQLite::Database& database) -> absl::Status {
        database.exec(begin);
        MEANFIELD_RETURN_IF_ERROR(work(database));
        database.exec("COMMIT");
        return absl::OkStatus();
      });
  // Only now: a rollback would overwrite what the system said.
  if (sqlite3_get_autocommit(connection_->getHandle()) == 0) {
    connection_->tryExec("ROLLBACK");
  }
  return status;
}

absl::Status Database::Guarded(std::string_view tried, Work work) {
  errno = 0;  // SQLite does not always keep what the system said
  try {
    return work(*connection_);
  } catch (const SQLite::Exception& exception) {
    const int said = errno;
    const int kept = sqlite3_system_errno(connection_->getHandle());
    return FromException(exception, kept != 0 ? kept : said, tried, path_);
  }
}

}  // namespace meanfield::store
