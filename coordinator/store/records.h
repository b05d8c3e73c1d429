#ifndef MEANFIELD_COORDINATOR_STORE_RECORDS_H_
#define MEANFIELD_COORDINATOR_STORE_RECORDS_H_

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/VariadicBind.h>
#include <google/protobuf/message_lite.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/check.h"
#include "common/base/strings.h"

namespace meanfield::store {

// Queries whose first column is a serialised message; `keys` are bound to ?1,
// ?2, …. They throw SQLite::Exception.

template <typename... Keys>
std::vector<std::string> FetchAll(SQLite::Database& database,
                                  const std::string& query,
                                  const Keys&... keys) {
  SQLite::Statement statement(database, query);
  if constexpr (sizeof...(keys) > 0) SQLite::bind(statement, keys...);
  std::vector<std::string> records;
  while (statement.executeStep()) {
    records.push_back(statement.getColumn(0).getString());
  }
  return records;
}

template <typename... Keys>
std::optional<std::string> Fetch(SQLite::Database& database,
                                 const std::string& query,
                                 const Keys&... keys) {
  std::vector<std::string> records = FetchAll(database, query, keys...);
  if (records.empty()) return std::nullopt;
  return std::move(records.front());
}

// The message is bound after the keys.
template <typename... Keys>
void Store(SQLite::Database& database, const std::string& command,
           const google::protobuf::MessageLite& record, const Keys&... keys) {
  std::string bytes;
  MEANFIELD_CHECK(record.SerializeToString(&bytes), "record above 2 GiB");
  SQLite::Statement statement(database, command);
  SQLite::bind(statement, keys...);
  statement.bind(static_cast<int>(sizeof...(keys)) + 1,
                 static_cast<const void*>(bytes.data()),
                 static_cast<int>(bytes.size()));
  statement.exec();
}

// DATA_LOSS says whose record it is.
template <typename T>
absl::StatusOr<T> Parse(const std::string& bytes, std::string_view what) {
  T record;
  if (!record.ParseFromString(bytes)) {
    return absl::DataLossError(StrCat("the record of ", what, ", ",
                                      bytes.size(),
                                      " bytes, cannot be read: it is damaged"));
  }
  return record;
}

}  // namespace meanfield::store

#endif  // MEANFIELD_COORDINATOR_STORE_RECORDS_H_
