#include "coordinator/store/schema.h"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>

#include <iterator>

#include "common/base/strings.h"

namespace meanfield::store {

namespace {

// "MFld": tells our files from those of other programs.
constexpr int kApplicationId = 0x4D466C64;

// Records are serialised messages of record.proto and plan.proto. Statement i
// turns version i into i + 1; those that were released never change.
constexpr const char* kMigrations[] = {
    R"(
CREATE TABLE runs (
  id TEXT NOT NULL PRIMARY KEY, created_unix_ms INTEGER NOT NULL,
  record BLOB NOT NULL);
CREATE TABLE plans (
  run TEXT NOT NULL REFERENCES runs (id), round INTEGER NOT NULL,
  record BLOB NOT NULL, PRIMARY KEY (run, round)) WITHOUT ROWID;
CREATE TABLE models (
  run TEXT NOT NULL, round INTEGER NOT NULL, record BLOB NOT NULL,
  PRIMARY KEY (run, round),
  FOREIGN KEY (run, round) REFERENCES plans (run, round)) WITHOUT ROWID;
CREATE TABLE verdicts (
  run TEXT NOT NULL, round INTEGER NOT NULL, record BLOB NOT NULL,
  PRIMARY KEY (run, round),
  FOREIGN KEY (run, round) REFERENCES models (run, round)) WITHOUT ROWID;
CREATE TABLE tests (
  run TEXT NOT NULL REFERENCES runs (id), split TEXT NOT NULL,
  model TEXT NOT NULL, record BLOB NOT NULL, UNIQUE (run, split, model));
CREATE TABLE workers (
  run TEXT NOT NULL REFERENCES runs (id), id TEXT NOT NULL,
  record BLOB NOT NULL, PRIMARY KEY (run, id)) WITHOUT ROWID;
CREATE TABLE rejections (
  run TEXT NOT NULL REFERENCES runs (id), record BLOB NOT NULL);
CREATE INDEX rejections_of_run ON rejections (run);
)",
};

int Pragma(SQLite::Database& database, const char* name) {
  return database.execAndGet(StrCat("PRAGMA ", name)).getInt();
}

absl::Status CheckOwner(SQLite::Database& database, const std::string& path) {
  const int id = Pragma(database, "application_id");
  const int tables =
      database.execAndGet("SELECT count(*) FROM sqlite_master").getInt();
  if (id == kApplicationId || (id == 0 && tables == 0)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      StrCat(path,
             " is the database of another program: use another state "
             "directory"));
}

}  // namespace

int SchemaVersion() { return static_cast<int>(std::size(kMigrations)); }

absl::Status Migrate(SQLite::Database& database, const std::string& path) {
  const absl::Status owner = CheckOwner(database, path);
  if (!owner.ok()) return owner;
  SQLite::Transaction transaction(database,
                                  SQLite::TransactionBehavior::IMMEDIATE);
  const int version = Pragma(database, "user_version");
  if (version > SchemaVersion() || version < 0) {
    return absl::FailedPreconditionError(
        StrCat(path, " has schema version ", version, ", this program knows ",
               SchemaVersion(),
               ": it was written by a newer Meanfield; use that one, or "
               "another state directory"));
  }
  if (version == SchemaVersion()) return absl::OkStatus();
  for (int i = version; i < SchemaVersion(); ++i) database.exec(kMigrations[i]);
  database.exec(StrCat("PRAGMA application_id = ", kApplicationId));
  database.exec(StrCat("PRAGMA user_version = ", SchemaVersion()));
  transaction.commit();
  return absl::OkStatus();
}

}  // namespace meanfield::store
