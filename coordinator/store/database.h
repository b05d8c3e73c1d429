#ifndef MEANFIELD_COORDINATOR_STORE_DATABASE_H_
#define MEANFIELD_COORDINATOR_STORE_DATABASE_H_

#include <SQLiteCpp/Database.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/mutex.h"

namespace meanfield::store {

// meanfield.sqlite: one connection, write-ahead log, every commit synced.
// Thread-safe; exceptions of the library end here.
class Database {
 public:
  // Creates it, or brings an older schema up to date. DATA_LOSS: the file is
  // damaged. FAILED_PRECONDITION: a newer schema, or another program's
  // database.
  static absl::StatusOr<std::unique_ptr<Database>> Open(
      const std::string& path);

  using Work = absl::FunctionRef<absl::Status(SQLite::Database&)>;
  // Runs `work` as one transaction, durable when the call returns OK; undone
  // where it does not. `tried` continues "cannot …". RESOURCE_EXHAUSTED: disk
  // full. PERMISSION_DENIED: not writable. UNAVAILABLE: locked by another
  // program. DATA_LOSS: damaged.
  absl::Status Write(std::string_view tried, Work work);
  // The same snapshot for all of `work`'s queries.
  absl::Status Read(std::string_view tried, Work work);

 private:
  explicit Database(const std::string& path);
  absl::Status Prepare();
  absl::Status Transact(const char* begin, std::string_view tried, Work work)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Guarded(std::string_view tried, Work work)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string path_;
  Mutex mutex_;
  std::unique_ptr<SQLite::Database> connection_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace meanfield::store

#endif  // MEANFIELD_COORDINATOR_STORE_DATABASE_H_
