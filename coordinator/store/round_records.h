#ifndef MEANFIELD_COORDINATOR_STORE_ROUND_RECORDS_H_
#define MEANFIELD_COORDINATOR_STORE_ROUND_RECORDS_H_

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "proto/plan.pb.h"
#include "proto/record.pb.h"

namespace meanfield::store {

// The order of truth within a transaction: plan(r), model(r), verdict(r). Codes
// as in run_store.h; they throw SQLite::Exception.

// For messages: "round 3 of run x".
std::string RoundName(const std::string& run, uint32_t round);

absl::Status RequireRun(SQLite::Database& database, const std::string& run);
absl::Status StorePlan(SQLite::Database& database, const std::string& run,
                       const proto::RoundPlan& plan);
absl::Status StoreModel(SQLite::Database& database, const BlobStore& blobs,
                        const std::string& run,
                        const proto::RoundRecord& record);
absl::Status StoreVerdict(SQLite::Database& database, const std::string& run,
                          const proto::Verdict& verdict);
absl::StatusOr<std::optional<proto::RoundPlan>> FetchPlan(
    SQLite::Database& database, const std::string& run, uint32_t round);

}  // namespace meanfield::store

#endif  // MEANFIELD_COORDINATOR_STORE_ROUND_RECORDS_H_
