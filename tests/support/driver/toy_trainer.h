#ifndef MEANFIELD_TESTS_SUPPORT_DRIVER_TOY_TRAINER_H_
#define MEANFIELD_TESTS_SUPPORT_DRIVER_TOY_TRAINER_H_

#include <string>
#include <vector>

#include "worker/trainer/local_trainer.h"

namespace meanfield::testing {

// A text classifier that really learns, in plain loops: softmax over counts of
// word ids modulo 64. Deterministic; also counts its steps in a COUNTER tensor.
// Word vectors take no part, but must be there.
class ToyTrainer : public LocalTrainer {
 public:
  explicit ToyTrainer(std::string numerics_class = "toy")
      : numerics_class_(std::move(numerics_class)) {}

  std::string device() const override { return "cpu"; }
  std::string numerics_class() const override { return numerics_class_; }
  uint64_t peak_memory_bytes() const override { return 1'000'000; }

  absl::StatusOr<std::vector<TensorSpec>> Initialize(
      const ModelConfig& model, uint64_t seed,
      const std::vector<const SafetensorsFile*>& given,
      const std::string& output_path) override;
  absl::StatusOr<TrainOutcome> Train(const TrainTask& task,
                                     std::stop_token stop,
                                     ProgressFn progress) override;
  absl::Status Evaluate(const EvaluateTask& task, std::stop_token stop,
                        ProgressFn progress) override;

 private:
  std::string numerics_class_;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_SUPPORT_DRIVER_TOY_TRAINER_H_
