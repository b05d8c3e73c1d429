#include "coordinator/store/round_records.h"

#include <string_view>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/store/records.h"

namespace meanfield::store {

namespace {

// Of plans, models and verdicts.
std::optional<std::string> FetchOfRound(SQLite::Database& database,
                                        const std::string& table,
                                        const std::string& run,
                                        uint32_t round) {
  return Fetch(
      database,
      StrCat("SELECT record FROM ", table, " WHERE run = ?1 AND round = ?2"),
      run, round);
}

void StoreOfRound(SQLite::Database& database, const std::string& table,
                  const std::string& run, uint32_t round,
                  const google::protobuf::MessageLite& record) {
  Store(database,
        StrCat("INSERT INTO ", table,
               " VALUES (?1, ?2, ?3) ON CONFLICT (run, round) DO UPDATE SET "
               "record = ?3"),
        record, run, round);
}

absl::Status Conflict(std::string_view what, const std::string& run,
                      uint32_t round) {
  return absl::AlreadyExistsError(StrCat("another ", what, " of ",
                                         RoundName(run, round),
                                         " is committed already"));
}

absl::Status Missing(std::string_view what, const std::string& run,
                     uint32_t round, std::string_view needed) {
  return absl::FailedPreconditionError(StrCat("cannot commit the ", what,
                                              " of ", RoundName(run, round),
                                              " before ", needed));
}

bool Equal(const google::protobuf::MessageLite& a,
           const google::protobuf::MessageLite& b) {
  return a.SerializeAsString() == b.SerializeAsString();
}

bool EqualButForTimes(proto::Verdict a, proto::Verdict b) {
  a.clear_evaluate_s();
  b.clear_evaluate_s();
  return Equal(a, b);
}

bool SameStep(const proto::RoundRecord& a, const proto::RoundRecord& b) {
  return Equal(a.plan(), b.plan()) && Equal(a.model(), b.model()) &&
         Equal(a.server_state(), b.server_state());
}

// A blob that was committed may have been removed since.
absl::Status CheckCommitted(const std::string& bytes, const std::string& run,
                            const proto::RoundRecord& record) {
  const uint32_t round = record.plan().round();
  MEANFIELD_ASSIGN_OR_RETURN(
      const auto committed,
      Parse<proto::RoundRecord>(bytes, RoundName(run, round)));
  if (SameStep(committed, record)) return absl::OkStatus();
  return Annotate(
      Conflict("model", run, round),
      StrCat(record.model().id(), " is not ", committed.model().id()));
}

}  // namespace

std::string RoundName(const std::string& run, uint32_t round) {
  return StrCat("round ", round, " of run ", run);
}

absl::Status RequireRun(SQLite::Database& database, const std::string& run) {
  if (Fetch(database, "SELECT id FROM runs WHERE id = ?1", run).has_value()) {
    return absl::OkStatus();
  }
  return absl::NotFoundError(StrCat("no run \"", run, "\""));
}

absl::Status StorePlan(SQLite::Database& database, const std::string& run,
                       const proto::RoundPlan& plan) {
  const uint32_t round = plan.round();
  MEANFIELD_RETURN_IF_ERROR(RequireRun(database, run));
  if (round == 0) return absl::InvalidArgumentError("rounds count from 1");
  const auto known = FetchOfRound(database, "plans", run, round);
  if (known.has_value()) {
    return *known == plan.SerializeAsString() ? absl::OkStatus()
                                              : Conflict("plan", run, round);
  }
  if (round > 1 &&
      !FetchOfRound(database, "models", run, round - 1).has_value()) {
    return Missing("plan", run, round, "the model of the round before");
  }
  StoreOfRound(database, "plans", run, round, plan);
  return absl::OkStatus();
}

absl::Status StoreModel(SQLite::Database& database, const BlobStore& blobs,
                        const std::string& run,
                        const proto::RoundRecord& record) {
  const uint32_t round = record.plan().round();
  MEANFIELD_RETURN_IF_ERROR(RequireRun(database, run));
  const auto plan = FetchOfRound(database, "plans", run, round);
  if (!plan.has_value()) return Missing("model", run, round, "its plan");
  if (*plan != record.plan().SerializeAsString()) {
    return absl::FailedPreconditionError(
        StrCat("the model of ", RoundName(run, round),
               " was made by another plan than the committed one"));
  }
  const proto::BlobRef& model = record.model();
  const auto known = FetchOfRound(database, "models", run, round);
  if (known.has_value()) {
    MEANFIELD_RETURN_IF_ERROR(CheckCommitted(*known, run, record));
  } else if (!blobs.Contains({.id = model.id(), .size = model.size()})) {
    return Missing(
        "model", run, round,
        StrCat("its blob ", model.id(), " of ", model.size(), " bytes"));
  }
  StoreOfRound(database, "models", run, round, record);
  return absl::OkStatus();
}

absl::Status StoreVerdict(SQLite::Database& database, const std::string& run,
                          const proto::Verdict& verdict) {
  const uint32_t round = verdict.round();
  MEANFIELD_RETURN_IF_ERROR(RequireRun(database, run));
  if (!FetchOfRound(database, "models", run, round).has_value()) {
    return Missing("verdict", run, round, "its model");
  }
  const auto known = FetchOfRound(database, "verdicts", run, round);
  if (known.has_value()) {
    MEANFIELD_ASSIGN_OR_RETURN(
        const auto committed,
        Parse<proto::Verdict>(*known, RoundName(run, round)));
    if (!EqualButForTimes(committed, verdict)) {
      return Conflict("verdict", run, round);
    }
  }
  StoreOfRound(database, "verdicts", run, round, verdict);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<proto::RoundPlan>> FetchPlan(
    SQLite::Database& database, const std::string& run, uint32_t round) {
  MEANFIELD_RETURN_IF_ERROR(RequireRun(database, run));
  const auto bytes = FetchOfRound(database, "plans", run, round);
  if (!bytes.has_value()) return std::nullopt;
  MEANFIELD_ASSIGN_OR_RETURN(
      proto::RoundPlan plan,
      Parse<proto::RoundPlan>(*bytes,
                              StrCat("the plan of ", RoundName(run, round))));
  return plan;
}

}  // namespace meanfield::store
