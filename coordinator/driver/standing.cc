#include "coordinator/driver/standing.h"

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/blob/hash.h"
#include "common/convert/convert.h"
#include "coordinator/driver/blob_refs.h"

namespace meanfield::driver {
namespace {

absl::Status CheckBytes(const BlobStore& blobs, const Blob& blob,
                        const std::string& what) {
  const auto damaged = [&](const absl::Status& status) {
    return absl::DataLossError(absl::StrCat(
        what, " cannot be used to go on from: ", status.message()));
  };
  const absl::StatusOr<std::string> path = blobs.Path(blob);
  if (!path.ok()) return damaged(path.status());
  MEANFIELD_ASSIGN_OR_RETURN(const std::string id, BlobIdOfFile(*path));
  if (id == blob.id) return absl::OkStatus();
  return damaged(absl::DataLossError(
      absl::StrCat(*path, " is damaged: its bytes are ", id)));
}

void AddRounds(const proto::RunDetails& run, Standing& standing) {
  for (const proto::RoundRecord& round : run.rounds()) {
    standing.past.Add(round.plan());
    standing.model = OwnBlob(round.model());
    standing.ever.push_back(standing.model);
    if (round.has_server_state()) {
      standing.server_state = OwnBlob(round.server_state());
      standing.ever.push_back(*standing.server_state);
    }
    standing.last_round = round;
    standing.evaluation_due = round.plan().evaluate();
  }
}

void AddVerdicts(const proto::RunDetails& run, Standing& standing) {
  for (const proto::Verdict& verdict : run.verdicts()) {
    standing.past.verdict = verdict;
    if (verdict.round() == standing.past.rounds) {
      standing.evaluation_due = false;
    }
    if (!verdict.is_best()) continue;
    standing.best_round = verdict.round();
    for (const proto::RoundRecord& round : run.rounds()) {
      if (round.plan().round() == verdict.round()) {
        standing.best = OwnBlob(round.model());
      }
    }
  }
}

}  // namespace

absl::StatusOr<Standing> StandingOf(const std::string& run,
                                    store::RunStore& store) {
  MEANFIELD_ASSIGN_OR_RETURN(const proto::RunDetails details, store.Load(run));
  Standing standing;
  standing.workers.assign(details.workers().begin(), details.workers().end());
  if (!details.run().has_initial_model()) return standing;
  MEANFIELD_ASSIGN_OR_RETURN(standing.specs,
                             FromProto(details.run().tensors()));
  standing.model = OwnBlob(details.run().initial_model());
  standing.ever.push_back(standing.model);
  AddRounds(details, standing);
  AddVerdicts(details, standing);
  MEANFIELD_ASSIGN_OR_RETURN(standing.open_plan,
                             store.GetPlan(run, standing.past.rounds + 1));
  const BlobStore& blobs = store.blobs();
  MEANFIELD_RETURN_IF_ERROR(
      CheckBytes(blobs, standing.model,
                 absl::StrCat("the model of round ", standing.past.rounds)));
  if (standing.best.has_value()) {
    MEANFIELD_RETURN_IF_ERROR(
        CheckBytes(blobs, *standing.best, "the best model"));
  }
  if (standing.server_state.has_value()) {
    MEANFIELD_RETURN_IF_ERROR(CheckBytes(blobs, *standing.server_state,
                                         "the server optimizer's state"));
  }
  return standing;
}

}  // namespace meanfield::driver
