#include "coordinator/schedule/schedule.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "common/base/check.h"
#include "common/base/random.h"
#include "coordinator/schedule/learning_rate.h"
#include "coordinator/schedule/shard_steps.h"

namespace meanfield::schedule {

namespace {

const proto::Task& TaskOf(const proto::JobSpec& job, const std::string& name) {
  for (const proto::Task& task : job.task()) {
    if (task.name() == name) return task;
  }
  MEANFIELD_CHECK(false, "no task named " + name);
}

const proto::Training& TrainingOf(const proto::JobSpec& job,
                                  const proto::Task& task) {
  return task.has_training() ? task.training() : job.training();
}

// The sizes of a run's shards with what each has done and has to do.
class Shards {
 public:
  Shards(const proto::JobSpec& job, const std::vector<ShardSize>& sizes,
         const Past& past)
      : rounds_(past.rounds) {
    std::vector<uint64_t> epochs;
    for (const ShardSize& size : sizes) {
      const proto::Training& training = TrainingOf(job, TaskOf(job, size.task));
      const uint64_t batch = training.batch_size();
      MEANFIELD_CHECK(batch > 0, "a batch holds texts");
      epochs.push_back(size.examples / batch + (size.examples % batch != 0));
    }
    const uint64_t longest =
        epochs.empty() ? 0 : *std::max_element(epochs.begin(), epochs.end());
    for (size_t i = 0; i < sizes.size(); ++i) {
      const auto done = past.steps.find({sizes[i].task, sizes[i].shard});
      shards_.push_back(
          {.rule = ShardSteps(job.schedule(), job.stop(), epochs[i], longest),
           .done = done == past.steps.end() ? 0 : done->second});
    }
    left_ = RoundsLeft(job.stop());
  }

  uint64_t rounds_left() const { return left_; }
  const ShardSteps& rule(size_t i) const { return shards_[i].rule; }
  uint64_t done(size_t i) const { return shards_[i].done; }
  uint64_t next(size_t i) const { return InNextRounds(i, 1); }
  uint64_t all(size_t i) const { return done(i) + InNextRounds(i, left_); }

 private:
  struct Entry {
    ShardSteps rule;
    uint64_t done = 0;
  };

  uint64_t InNextRounds(size_t i, uint64_t count) const {
    return shards_[i].rule.InNextRounds(rounds_, shards_[i].done, count);
  }
  uint64_t RoundsLeft(const proto::Stop& stop) const {
    MEANFIELD_CHECK(stop.has_max_rounds() || stop.has_max_epochs(),
                    "a resolved job ends");
    uint64_t left = std::numeric_limits<uint32_t>::max();
    if (stop.has_max_rounds()) left = stop.max_rounds();
    left -= std::min(left, rounds_);
    if (!stop.has_max_epochs()) return left;
    uint64_t longest = 0;
    for (const Entry& shard : shards_) {
      longest = std::max(longest,
                         shard.rule.RoundsToEnd(rounds_, shard.done).value());
    }
    return std::min(left, longest);
  }

  uint64_t rounds_;
  std::vector<Entry> shards_;
  uint64_t left_ = 0;
};

void SetLearningRates(const proto::Training& training, const Shards& shards,
                      size_t i, const Past& past, proto::TrainWork& work) {
  double first = BaseLearningRate(training);
  if (training.has_reduce_on_plateau() && past.verdict.has_value()) {
    first = std::bit_cast<float>(past.verdict->learning_rate_bits());
  }
  double last = first;
  if (training.has_linear_decay()) {
    const uint64_t all = shards.all(i);
    const uint64_t warmup = WarmupEnd(
        shards.rule(i), WarmupSteps(training.linear_decay(), all), all);
    const uint64_t begin = work.first_step();
    const uint64_t end = begin + work.num_steps();
    last *= LinearFactor(end, warmup, all);
    first *= LinearFactor(begin, warmup, all);
  }
  work.set_lr_first_bits(std::bit_cast<uint32_t>(static_cast<float>(first)));
  work.set_lr_last_bits(std::bit_cast<uint32_t>(static_cast<float>(last)));
}

void SetSeeds(const proto::JobSpec& job, const ShardSize& size, uint32_t round,
              proto::TrainWork& work) {
  SeedKey key{.job_seed = job.seed(),
              .round = round,
              .task = size.task,
              .shard = size.shard,
              .purpose = "train"};
  work.set_seed(DeriveSeed(key));
  key.round = 0;  // the order goes on across rounds
  key.purpose = "order";
  work.set_order_seed(DeriveSeed(key));
}

}  // namespace

void Past::Add(const proto::RoundPlan& plan) {
  MEANFIELD_CHECK(plan.round() == rounds + 1, "plans are added in order");
  rounds = plan.round();
  for (const proto::ShardPlan& shard : plan.cohort()) {
    steps[{shard.task(), shard.shard()}] =
        shard.train().first_step() + shard.train().num_steps();
  }
}

uint32_t PlannedRounds(const proto::JobSpec& job,
                       const std::vector<ShardSize>& shards, const Past& past) {
  const uint64_t left = Shards(job, shards, past).rounds_left();
  return static_cast<uint32_t>(std::min<uint64_t>(
      past.rounds + left, std::numeric_limits<uint32_t>::max()));
}

proto::RoundPlan MakePlan(const proto::JobSpec& job,
                          const std::vector<ShardSize>& sizes,
                          const Past& past) {
  const Shards shards(job, sizes, past);
  MEANFIELD_CHECK(shards.rounds_left() > 0, "the stop rule ended the run");
  proto::RoundPlan plan;
  plan.set_round(past.rounds + 1);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const ShardSize& size = sizes[i];
    const uint64_t weight =
        job.weight_by() == proto::JobSpec::TOKENS ? size.tokens : size.examples;
    if (shards.next(i) == 0 || weight == 0) continue;
    proto::ShardPlan& shard = *plan.add_cohort();
    shard.set_task(size.task);
    shard.set_shard(size.shard);
    shard.set_weight(weight);
    proto::TrainWork& work = *shard.mutable_train();
    work.set_first_step(shards.done(i));
    work.set_num_steps(shards.next(i));
    SetLearningRates(TrainingOf(job, TaskOf(job, size.task)), shards, i, past,
                     work);
    SetSeeds(job, size, plan.round(), work);
  }
  plan.set_last(shards.rounds_left() == 1);
  plan.set_evaluate(plan.last() || (job.evaluate_every() > 0 &&
                                    plan.round() % job.evaluate_every() == 0));
  return plan;
}

}  // namespace meanfield::schedule
