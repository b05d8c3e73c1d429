#include "coordinator/store/run_store.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/blob/files.h"
#include "coordinator/store/database.h"
#include "coordinator/store/records.h"
#include "coordinator/store/round_records.h"
#include "coordinator/store/state_folder.h"

namespace meanfield::store {

namespace {

constexpr char kDatabaseFile[] = "meanfield.sqlite";
constexpr size_t kLongestFolderName = 200;

bool IsFolderName(const std::string& name) {
  return !name.empty() && name.size() <= kLongestFolderName &&
         name.front() != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  c == '.' || c == '-' || c == '_';
         });
}

template <typename T>
absl::Status FillFrom(SQLite::Database& database, const std::string& table,
                      const std::string& order, const std::string& run,
                      google::protobuf::RepeatedPtrField<T>* records) {
  for (const std::string& bytes :
       FetchAll(database,
                StrCat("SELECT record FROM ", table,
                       " WHERE run = ?1 ORDER BY ", order),
                run)) {
    MEANFIELD_ASSIGN_OR_RETURN(*records->Add(),
                               Parse<T>(bytes, StrCat(table, " of run ", run)));
  }
  return absl::OkStatus();
}

}  // namespace

struct RunStore::State {
  std::string folder;
  std::unique_ptr<StateLock> lock;  // outlives the rest
  std::unique_ptr<Database> database;
  BlobStore blobs;
};

RunStore::RunStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
RunStore::~RunStore() = default;

absl::StatusOr<std::unique_ptr<RunStore>> RunStore::Open(
    const std::string& state_dir, const StoreOptions& options) {
  if (!options.allow_network_file_system) {
    MEANFIELD_RETURN_IF_ERROR(CheckFileSystem(state_dir));
  }
  MEANFIELD_RETURN_IF_ERROR(MakeFolder(state_dir));
  MEANFIELD_ASSIGN_OR_RETURN(auto lock, StateLock::Acquire(state_dir));
  MEANFIELD_ASSIGN_OR_RETURN(
      auto database, Database::Open(StrCat(state_dir, "/", kDatabaseFile)));
  MEANFIELD_ASSIGN_OR_RETURN(BlobStore blobs,
                             BlobStore::Open(StrCat(state_dir, "/objects")));
  MEANFIELD_RETURN_IF_ERROR(MakeFolder(StrCat(state_dir, "/runs")));
  MEANFIELD_RETURN_IF_ERROR(SyncFolder(state_dir));
  auto state = std::make_unique<State>(
      State{state_dir, std::move(lock), std::move(database), std::move(blobs)});
  return std::unique_ptr<RunStore>(new RunStore(std::move(state)));
}

BlobStore& RunStore::blobs() { return state_->blobs; }
const BlobStore& RunStore::blobs() const { return state_->blobs; }

absl::StatusOr<std::string> RunStore::RunFolder(const std::string& run) const {
  if (!IsFolderName(run)) {
    return absl::InvalidArgumentError(StrCat(
        "\"", run, "\" cannot name a run: expected up to ", kLongestFolderName,
        " letters, digits, '.', '-' or '_', not beginning with '.'"));
  }
  const std::string folder = StrCat(state_->folder, "/runs/", run);
  MEANFIELD_RETURN_IF_ERROR(MakeFolder(folder));
  return folder;
}

absl::Status RunStore::PutRun(const proto::RunRecord& run) {
  if (!IsFolderName(run.id())) return RunFolder(run.id()).status();
  return state_->database->Write(
      StrCat("record run ", run.id()), [&](SQLite::Database& database) {
        Store(database,
              "INSERT INTO runs VALUES (?1, ?2, ?3) ON CONFLICT (id) DO "
              "UPDATE SET created_unix_ms = ?2, record = ?3",
              run, run.id(), run.created_unix_ms());
        return absl::OkStatus();
      });
}

absl::StatusOr<proto::RunRecord> RunStore::GetRun(
    const std::string& run) const {
  proto::RunRecord record;
  const absl::Status status = state_->database->Read(
      StrCat("read run ", run),
      [&](SQLite::Database& database) -> absl::Status {
        MEANFIELD_RETURN_IF_ERROR(RequireRun(database, run));
        MEANFIELD_ASSIGN_OR_RETURN(
            record,
            Parse<proto::RunRecord>(
                *Fetch(database, "SELECT record FROM runs WHERE id = ?1", run),
                StrCat("run ", run)));
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return record;
}

absl::StatusOr<std::vector<proto::RunRecord>> RunStore::ListRuns() const {
  std::vector<proto::RunRecord> runs;
  const absl::Status status = state_->database->Read(
      "list the runs", [&](SQLite::Database& database) -> absl::Status {
        for (const std::string& bytes :
             FetchAll(database,
                      "SELECT record FROM runs "
                      "ORDER BY created_unix_ms DESC, rowid DESC")) {
          MEANFIELD_ASSIGN_OR_RETURN(runs.emplace_back(),
                                     Parse<proto::RunRecord>(bytes, "a run"));
        }
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return runs;
}

absl::Status RunStore::CommitPlan(const std::string& run,
                                  const proto::RoundPlan& plan) {
  return state_->database->Write(
      StrCat("commit the plan of ", RoundName(run, plan.round())),
      [&](SQLite::Database& database) {
        return StorePlan(database, run, plan);
      });
}

absl::Status RunStore::CommitModel(const std::string& run,
                                   const proto::RoundRecord& record) {
  return state_->database->Write(
      StrCat("commit the model of ", RoundName(run, record.plan().round())),
      [&](SQLite::Database& database) {
        return StoreModel(database, state_->blobs, run, record);
      });
}

absl::Status RunStore::CommitVerdict(const std::string& run,
                                     const proto::Verdict& verdict) {
  return state_->database->Write(
      StrCat("commit the verdict on ", RoundName(run, verdict.round())),
      [&](SQLite::Database& database) {
        return StoreVerdict(database, run, verdict);
      });
}

absl::Status RunStore::PutTest(const std::string& run,
                               const proto::EvaluationRecord& test) {
  return state_->database->Write(
      StrCat("record a test of run ", run),
      [&](SQLite::Database& database) -> absl::Status {
        MEANFIELD_RETURN_IF_ERROR(RequireRun(database, run));
        Store(database,
              "INSERT INTO tests VALUES (?1, ?2, ?3, ?4) ON CONFLICT (run, "
              "split, model) DO UPDATE SET record = ?4",
              test, run, test.split(), test.model());
        return absl::OkStatus();
      });
}

absl::Status RunStore::PutWorker(const std::string& run,
                                 const proto::WorkerRecord& worker) {
  return state_->database->Write(
      StrCat("record worker ", worker.id(), " of run ", run),
      [&](SQLite::Database& database) -> absl::Status {
        MEANFIELD_RETURN_IF_ERROR(RequireRun(database, run));
        Store(database, "REPLACE INTO workers VALUES (?1, ?2, ?3)", worker, run,
              worker.id());
        return absl::OkStatus();
      });
}

absl::Status RunStore::AddRejection(const std::string& run,
                                    const proto::Rejection& rejection) {
  return state_->database->Write(
      StrCat("record a rejection of run ", run),
      [&](SQLite::Database& database) -> absl::Status {
        MEANFIELD_RETURN_IF_ERROR(RequireRun(database, run));
        Store(database, "INSERT INTO rejections VALUES (?1, ?2)", rejection,
              run);
        return absl::OkStatus();
      });
}

absl::StatusOr<proto::RunDetails> RunStore::Load(const std::string& run) const {
  proto::RunDetails details;
  const absl::Status status = state_->database->Read(
      StrCat("read run ", run),
      [&](SQLite::Database& database) -> absl::Status {
        MEANFIELD_RETURN_IF_ERROR(RequireRun(database, run));
        MEANFIELD_ASSIGN_OR_RETURN(
            *details.mutable_run(),
            Parse<proto::RunRecord>(
                *Fetch(database, "SELECT record FROM runs WHERE id = ?1", run),
                StrCat("run ", run)));
        MEANFIELD_RETURN_IF_ERROR(FillFrom(database, "models", "round", run,
                                           details.mutable_rounds()));
        MEANFIELD_RETURN_IF_ERROR(FillFrom(database, "verdicts", "round", run,
                                           details.mutable_verdicts()));
        MEANFIELD_RETURN_IF_ERROR(
            FillFrom(database, "tests", "rowid", run, details.mutable_tests()));
        MEANFIELD_RETURN_IF_ERROR(FillFrom(database, "workers", "id", run,
                                           details.mutable_workers()));
        return FillFrom(database, "rejections", "rowid", run,
                        details.mutable_rejections());
      });
  if (!status.ok()) return status;
  return details;
}

absl::StatusOr<std::optional<proto::RoundPlan>> RunStore::GetPlan(
    const std::string& run, uint32_t round) const {
  std::optional<proto::RoundPlan> plan;
  const absl::Status status = state_->database->Read(
      StrCat("read the plan of ", RoundName(run, round)),
      [&](SQLite::Database& database) -> absl::Status {
        MEANFIELD_ASSIGN_OR_RETURN(plan, FetchPlan(database, run, round));
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return plan;
}

}  // namespace meanfield::store
