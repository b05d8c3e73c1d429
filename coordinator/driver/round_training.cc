#include "coordinator/driver/round_training.h"

#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
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

// Background thread. The update moves out of reach of the lease it came by.
absl::Status TakeIn(const Phase::Arrival& arrival, uint32_t round,
                    const proto::ShardPlan& shard, const UpdateSpool& spool,
                    UpdateFold& fold) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string path,
                             spool.Take(arrival.path, round, shard));
  if (const absl::Status status = fold.Add(path, shard, arrival.result);
      !status.ok()) {
    spool.Drop(round, shard);
    return status;
  }
  proto::SpooledUpdate update;
  update.set_round(round);
  update.set_task(shard.task());
  update.set_shard(shard.shard());
  update.set_worker(arrival.worker);
  *update.mutable_result() = arrival.result;
  return spool.Accept(update);
}

}  // namespace

RoundTraining::RoundTraining(RunFloor& floor, Options options)
    : floor_(floor),
      options_(std::move(options)),
      statistics_(options_.plan.cohort_size()) {}

struct RoundTraining::Begin {
  std::shared_ptr<UpdateFold> fold;
  std::shared_ptr<UpdateSpool> spool;
  // By position in the cohort; absent: to be trained.
  std::vector<std::optional<proto::SpooledUpdate>> folded;
};

absl::StatusOr<RoundTraining::Begin> RoundTraining::BeginFold(
    Context& context, const std::string& run, const Options& options) {
  const proto::RoundPlan& plan = options.plan;
  MEANFIELD_RETURN_IF_ERROR(context.store.CommitPlan(run, plan));
  Begin begin;
  MEANFIELD_ASSIGN_OR_RETURN(const std::string path,
                             context.store.blobs().Path(options.model));
  MEANFIELD_ASSIGN_OR_RETURN(
      begin.fold, UpdateFold::Create(path, options.specs, TotalWeight(plan),
                                     context.fold_device, context.clock));
  MEANFIELD_ASSIGN_OR_RETURN(UpdateSpool spool,
                             UpdateSpool::Open(context.store, run));
  spool.KeepOnly(plan.round());
  for (const proto::ShardPlan& shard : plan.cohort()) {
    std::optional<UpdateSpool::Found> found = spool.Find(plan.round(), shard);
    const bool good =
        found.has_value() &&
        begin.fold->Add(found->path, shard, found->update.result()).ok();
    if (found.has_value() && !good) spool.Drop(plan.round(), shard);
    begin.folded.push_back(good ? std::optional(std::move(found->update))
                                : std::nullopt);
  }
  begin.spool = std::make_shared<UpdateSpool>(std::move(spool));
  return begin;
}

void RoundTraining::Start() {
  Context& context = floor_.context;
  planned_at_ = context.clock.Now();
  InBackground(
      context,
      [&context, run = floor_.prepared->run, options = options_] {
        return BeginFold(context, run, options);
      },
      [self = shared_from_this()](absl::StatusOr<Begin> begin) {
        if (!self->abandoned_) self->OnBegun(std::move(begin));
      });
}

void RoundTraining::OnBegun(absl::StatusOr<Begin> begin) {
  if (!begin.ok()) return options_.done(begin.status());
  fold_ = std::move(begin->fold);
  spool_ = std::move(begin->spool);
  leased_at_ = floor_.context.clock.Now();
  std::vector<size_t> missing;
  for (size_t i = 0; i < begin->folded.size(); ++i) {
    const auto& update = begin->folded[i];
    if (update.has_value()) {
      statistics_[i] = update->result().statistics();
    } else {
      missing.push_back(i);
    }
  }
  if (missing.size() < begin->folded.size()) {
    floor_.journal.Info(absl::StrCat(
        begin->folded.size() - missing.size(), " of ", begin->folded.size(),
        " updates of round ", options_.plan.round(),
        " were there already and are folded again"));
  }
  if (missing.empty()) return OnTrained(absl::OkStatus());
  StartPhase(std::move(missing));
}

void RoundTraining::StartPhase(std::vector<size_t> missing) {
  std::vector<Phase::Unit> all = TrainUnits(*floor_.prepared, options_.plan,
                                            options_.model, floor_.holders);
  std::vector<Phase::Unit> units;
  for (const size_t i : missing) units.push_back(std::move(all[i]));
  phase_ = floor_.MakePhase(
      {.units = std::move(units),
       .take_in =
           [fold = fold_, spool = spool_, plan = options_.plan,
            missing](const Phase::Arrival& arrival) {
             return TakeIn(arrival, plan.round(),
                           plan.cohort(static_cast<int>(missing[arrival.unit])),
                           *spool, *fold);
           },
       .accepted =
           [this, missing](const Phase::Arrival& arrival) {
             statistics_[missing[arrival.unit]] = arrival.result.statistics();
           },
       .progressed = [this] { options_.progressed(); },
       .ended = [self = shared_from_this()](
                    Phase&,
                    const absl::Status& status) { self->OnTrained(status); }});
  phase_->Start();
}

const std::vector<UnitProgress>& RoundTraining::progress() const {
  static const std::vector<UnitProgress> kNone;
  return phase_ == nullptr ? kNone : phase_->progress();
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
      [commit = std::move(commit), fold = fold_, spool = spool_]() mutable {
        const uint32_t round = commit.record.plan().round();
        auto record = CommitRound(std::move(commit), *fold);
        if (record.ok()) spool->KeepOnly(round + 1);
        return record;
      },
      [self = shared_from_this()](absl::StatusOr<proto::RoundRecord> record) {
        self->OnCommitted(std::move(record));
      });
}

void RoundTraining::OnCommitted(absl::StatusOr<proto::RoundRecord> record) {
  if (phase_ != nullptr) phase_->Close();
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
  record.set_bytes(phase_ == nullptr ? 0 : phase_->bytes_moved());
  record.set_train_s(
      absl::ToDoubleSeconds(floor_.context.clock.Now() - leased_at_));
  return record;
}

}  // namespace meanfield::driver
