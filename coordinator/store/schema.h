#ifndef MEANFIELD_COORDINATOR_STORE_SCHEMA_H_
#define MEANFIELD_COORDINATOR_STORE_SCHEMA_H_

#include <string>

#include "absl/status/status.h"

namespace SQLite {
class Database;
}

namespace meanfield::store {

// Version of the tables that this program writes (SQLite's user_version).
int SchemaVersion();

// Creates the tables, or changes those of an older version step by step, as one
// transaction. `path` is for messages. Throws SQLite::Exception.
absl::Status Migrate(SQLite::Database& database, const std::string& path);

}  // namespace meanfield::store

#endif  // MEANFIELD_COORDINATOR_STORE_SCHEMA_H_
