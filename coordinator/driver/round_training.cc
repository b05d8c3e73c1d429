#include "coordinator/driver/round_training.h"

#include <numeric>
#include <utility>

#include "common/base/status.h"
#include "coordinator/driver/round_commit.h"
#include "coordinator/driver/units.h"

namespace meanfield::driver {
namespace {

uint64_t TotalWeight(const proto::RoundPlan& plan) {
  return std::accumulate(
      plan.cohort().begin(), plan.cohort().end(), uint64_t{0},
      [](uint64_t sum, const auto& shard) { return sum + shard.weight(); });
}

}  // namespace

RoundTraining::RoundTraining(RunFloor& floor, Options options)
    : floor_(floor),
      options_(std::move(options)),
      statistics_(options_.plan.cohort_size()) {}

void RoundTraining::Start() {
  Context& context = floor_.context;
  planned_at_ = context.clock.Now();
  InBackground(
      context,
      [&context, run = floor_.prepared->run, plan = options_.plan,
       model = options_.model,
       specs =
           options_.specs]() -> absl::StatusOr<std::shared_ptr<UpdateFold>> {
        MEANFIELD_RETURN_IF_ERROR(context.store.CommitPlan(run, plan));
        MEANFIELD_ASSIGN_OR_RETURN(const std::string path,
                                   context.store.blobs().Path(model));
        MEANFIELD_ASSIGN_OR_RETURN(
            std::unique_ptr<UpdateFold> fold,
            UpdateFold::Create(path, specs, TotalWeight(plan),
                               context.fold_device, context.clock));
        return fold;
      },
      [self = shared_from_this()](auto fold) {
        if (!self->abandoned_) self->OnPlanCommitted(std::move(fold));
      });
}

void RoundTraining::OnPlanCommitted(
    absl::StatusOr<std::shared_ptr<UpdateFold>> fold) {
  if (!fold.ok()) return options_.done(fold.status());
  fold_ = *std::move(fold);
  leased_at_ = floor_.context.clock.Now();
  phase_ = floor_.MakePhase(
      {.units = TrainUnits(*floor_.prepared, options_.plan, options_.model,
                           floor_.holders),
       .take_in =
           [fold = fold_, plan = options_.plan](const Phase::Arrival& arrival) {
             return fold->Add(arrival.path,
                              plan.cohort(static_cast<int>(arrival.unit)),
                              arrival.result);
           },
       .accepted =
           [this](const Phase::Arrival& arrival) {
             statistics_[arrival.unit] = arrival.result.statistics();
           },
       .progressed = [this] { options_.progressed(); },
       .ended = [self = shared_from_this()](
                    Phase&,
                    const absl::Status& status) { self->OnTrained(status); }});
  phase_->Start();
}

void RoundTraining::OnTrained(const absl::Status& status) {
  if (!status.ok()) {
    phase_->Close();
    if (!abandoned_) options_.done(status);
    return;
  }
  Context& context = floor_.context;
  RoundCommit commit{.store = context.store,
                     .clock = context.clock,
                     .run = floor_.prepared->run,
                     .scratch_folder = floor_.prepared->incoming,
                     .optimizer = floor_.prepared->job.server_optimizer(),
                     .specs = options_.specs,
                     .server_state = options_.server_state,
                     .planned_at = planned_at_,
                     .record = Summary()};
  InBackground(
      context,
      [commit = std::move(commit), fold = fold_] {
        return CommitRound(commit, *fold);
      },
      [self = shared_from_this()](absl::StatusOr<proto::RoundRecord> record) {
        self->OnCommitted(std::move(record));
      });
}

void RoundTraining::OnCommitted(absl::StatusOr<proto::RoundRecord> record) {
  // Until here a restarted coordinator could have folded the updates again.
  phase_->Close();
  if (!abandoned_) options_.done(std::move(record));
}

proto::RoundRecord RoundTraining::Summary() const {
  proto::RoundRecord record;
  *record.mutable_plan() = options_.plan;
  double loss_sum = 0;
  uint64_t loss_count = 0;
  uint64_t tokens = 0;
  uint64_t examples = 0;
  // In the plan's order: sums of doubles must not depend on who came first.
  for (const proto::TrainStatistics& shard : statistics_) {
    loss_sum += shard.loss_sum();
    loss_count += shard.loss_count();
    tokens += shard.tokens();
    examples += shard.examples();
  }
  record.set_train_loss(
      loss_count == 0 ? 0 : loss_sum / static_cast<double>(loss_count));
  record.set_tokens(tokens);
  record.set_examples(examples);
  record.set_bytes(phase_->bytes_moved());
  record.set_train_s(
      absl::ToDoubleSeconds(floor_.context.clock.Now() - leased_at_));
  return record;
}

}  // namespace meanfield::driver
