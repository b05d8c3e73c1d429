#include "coordinator/driver/units.h"

#include "common/base/random.h"
#include "common/convert/convert.h"

namespace meanfield::driver {
namespace {

// Headers and small tensors beside what scales with model or data.
constexpr uint64_t kSpareBytes = uint64_t{16} << 20;
// The first model's size is known to the worker only.
constexpr uint64_t kLargestModelBytes = uint64_t{1} << 40;

proto::Unit UnitOf(const PreparedRun& run, proto::UnitKind kind) {
  proto::Unit unit;
  unit.mutable_key()->set_run(run.run);
  unit.mutable_key()->set_task(run.task_name());
  unit.mutable_key()->set_kind(kind);
  *unit.mutable_model_config() = ToProto(run.model_config);
  *unit.mutable_training_config() = ToProto(run.training_config);
  return unit;
}

std::string HolderOf(const ShardHolders& holders, const std::string& split,
                     uint32_t shard) {
  const auto holder = holders.find({split, shard});
  return holder == holders.end() ? std::string() : holder->second;
}

void AddFrozen(const PreparedRun& run, proto::Unit& unit) {
  for (const corpus::TensorFile& tensor : run.task.frozen) {
    *unit.add_frozen() = ToProto(tensor.file);
  }
}

}  // namespace

Phase::Unit InitUnit(const PreparedRun& run) {
  Phase::Unit unit{.unit = UnitOf(run, proto::INIT),
                   .max_output_bytes = kLargestModelBytes};
  for (const corpus::TensorFile& tensor : run.task.given) {
    *unit.unit.add_given() = ToProto(tensor.file);
  }
  unit.unit.set_init_seed(DeriveSeed({.job_seed = run.job.seed(),
                                      .round = 0,
                                      .task = run.task_name(),
                                      .shard = 0,
                                      .purpose = "init"}));
  return unit;
}

std::vector<Phase::Unit> TrainUnits(const PreparedRun& run,
                                    const proto::RoundPlan& plan,
                                    const Blob& model,
                                    const ShardHolders& holders) {
  std::vector<Phase::Unit> units;
  for (const proto::ShardPlan& shard : plan.cohort()) {
    proto::Unit unit = UnitOf(run, proto::TRAIN);
    unit.mutable_key()->set_round(plan.round());
    unit.mutable_key()->set_split("train");
    unit.mutable_key()->set_shard(shard.shard());
    unit.mutable_key()->set_model("global");
    *unit.mutable_model() = ToProto(model);
    AddFrozen(run, unit);
    *unit.mutable_data() = ToProto(run.task.train[shard.shard()].data);
    *unit.mutable_train() = shard.train();
    units.push_back(
        {.unit = std::move(unit),
         .preferred_worker = HolderOf(holders, "train", shard.shard()),
         .max_output_bytes = 2 * model.size + kSpareBytes});
  }
  return units;
}

std::vector<Phase::Unit> EvaluateUnits(const PreparedRun& run,
                                       const EvaluationWork& work,
                                       const ShardHolders& holders) {
  const auto& shards = work.split == "dev" ? run.task.dev : run.task.test;
  std::vector<Phase::Unit> units;
  for (uint32_t i = 0; i < shards.size(); ++i) {
    proto::Unit unit = UnitOf(run, proto::EVALUATE);
    unit.mutable_key()->set_round(work.round);
    unit.mutable_key()->set_split(work.split);
    unit.mutable_key()->set_shard(i);
    unit.mutable_key()->set_model(work.model_name);
    *unit.mutable_model() = ToProto(work.model);
    AddFrozen(run, unit);
    *unit.mutable_data() = ToProto(shards[i].data);
    units.push_back(
        {.unit = std::move(unit),
         .preferred_worker = HolderOf(holders, work.split, i),
         .max_output_bytes = 8 * shards[i].data.size + kSpareBytes});
  }
  return units;
}

}  // namespace meanfield::driver
