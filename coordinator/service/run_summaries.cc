#include "coordinator/service/run_summaries.h"

#include <algorithm>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/rpc/channel.h"

namespace meanfield::service {
namespace {

// Room for what gRPC adds.
constexpr size_t kMaxBytes = rpc::kMaxMessageBytes - (64 << 10);

uint32_t BestRound(const proto::RunDetails& details) {
  uint32_t best = 0;
  for (const proto::Verdict& verdict : details.verdicts()) {
    if (verdict.is_best()) best = std::max(best, verdict.round());
  }
  return best;
}

double BestScore(const proto::RunDetails& details) {
  const uint32_t best = BestRound(details);
  for (const proto::Verdict& verdict : details.verdicts()) {
    if (verdict.round() == best) return verdict.main_score();
  }
  return 0;
}

proto::ListRunsResponse::Summary Summarise(const proto::RunDetails& details) {
  proto::ListRunsResponse::Summary summary;
  const proto::RunRecord& run = details.run();
  summary.set_id(run.id());
  summary.set_name(run.job().name());
  summary.set_state(run.state());
  summary.set_rounds_done(static_cast<uint32_t>(details.rounds_size()));
  summary.set_rounds_planned(run.job().stop().max_rounds());
  summary.set_best_score(BestScore(details));
  summary.set_reason(run.reason());
  summary.set_created_unix_ms(run.created_unix_ms());
  return summary;
}

}  // namespace

absl::Status FitIntoMessage(proto::RunDetails& details) {
  if (details.ByteSizeLong() <= kMaxBytes) return absl::OkStatus();
  const uint32_t best = BestRound(details);
  for (int i = 0; i + 1 < details.verdicts_size(); ++i) {
    proto::Verdict& verdict = *details.mutable_verdicts(i);
    if (verdict.round() == best) continue;
    verdict.mutable_dev()->clear_classes();
    verdict.mutable_dev()->clear_confusions();
  }
  if (details.ByteSizeLong() <= kMaxBytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      StrCat("the records of run ", details.run().id(), " have ",
             details.ByteSizeLong(), " bytes, a message at most ", kMaxBytes,
             "; read report.json and rounds.tsv of its output folder"));
}

absl::Status SummariseRuns(const store::RunStore& store,
                           proto::ListRunsResponse& response) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::vector<proto::RunRecord> runs,
                             store.ListRuns());
  size_t bytes = 0;
  for (const proto::RunRecord& run : runs) {
    MEANFIELD_ASSIGN_OR_RETURN(const proto::RunDetails details,
                               store.Load(run.id()));
    proto::ListRunsResponse::Summary summary = Summarise(details);
    bytes += summary.ByteSizeLong() + 16;  // tag and length
    if (bytes > kMaxBytes) break;
    *response.add_runs() = std::move(summary);
  }
  return absl::OkStatus();
}

}  // namespace meanfield::service
