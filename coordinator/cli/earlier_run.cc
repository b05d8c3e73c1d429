#include "coordinator/cli/earlier_run.h"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "coordinator/driver/open_runs.h"
#include "coordinator/store/run_store.h"

namespace meanfield::cli {

namespace fs = std::filesystem;

namespace {

std::string StateFolder(const std::string& out_folder) {
  return absl::StrCat(out_folder, "/state");
}

}  // namespace

absl::StatusOr<EarlierRun> EarlierRun::Find(const std::string& out_folder) {
  std::error_code error;
  const std::string folder =
      fs::absolute(out_folder, error).lexically_normal().string();
  const std::string state = StateFolder(folder);
  if (!fs::exists(state, error)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--resume: there is no run in ", out_folder,
        " (no folder state in it); --out names the folder of the run to go on "
        "with"));
  }
  MEANFIELD_ASSIGN_OR_RETURN(const std::unique_ptr<store::RunStore> store,
                             store::RunStore::Open(state));
  MEANFIELD_ASSIGN_OR_RETURN(std::vector<proto::RunRecord> runs,
                             store->ListRuns());
  if (runs.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--resume: ", state,
                     " holds no run: it ended before it "
                     "began; train into a new folder"));
  }
  return EarlierRun(folder, std::move(runs.front()));
}

job::JobSource EarlierRun::Source() const {
  job::JobSource source;
  source.text = job::ExplainJob(record_.job());
  source.path = record_.job_path();
  return source;
}

absl::Status EarlierRun::Reopen(const proto::JobSpec& job) const {
  MEANFIELD_ASSIGN_OR_RETURN(const std::unique_ptr<store::RunStore> store,
                             store::RunStore::Open(StateFolder(out_folder_)));
  // Work folders of a killed process; nobody else is at work, as we have the
  // store.
  std::error_code ignored;
  for (const auto& entry :
       fs::directory_iterator(StateFolder(out_folder_), ignored)) {
    if (entry.path().filename().string().starts_with("meanfield-")) {
      fs::remove_all(entry.path(), ignored);
    }
  }
  return driver::ReopenRun(*store, id(), &job).status();
}

}  // namespace meanfield::cli
