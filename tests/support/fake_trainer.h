#ifndef MEANFIELD_TESTS_SUPPORT_FAKE_TRAINER_H_
#define MEANFIELD_TESTS_SUPPORT_FAKE_TRAINER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/tensor/safetensors.h"
#include "worker/trainer/local_trainer.h"

namespace meanfield::testing {

// A trainer that a test holds in its hand: hooks run inside the units, and the
// outputs are small, equal for equal tasks, and hold the odd shapes (a scalar,
// an empty tensor). It learns nothing; ToyTrainer does.
class FakeTrainer : public LocalTrainer {
 public:
  using Step = std::function<absl::Status(uint64_t step, std::stop_token)>;
  // Called before each step of a TRAIN or EVALUATE unit; its error ends the
  // unit. After it, a stop request ends the unit as CANCELLED.
  Step on_step = [](uint64_t, std::stop_token) { return absl::OkStatus(); };
  uint64_t output_floats = 4;
  int units = 0;  // begun
  // Names of the tensors that were given to INIT units, and that came frozen.
  std::vector<std::string> given;
  std::vector<std::string> frozen;

  std::string device() const override { return "cpu fake"; }
  std::string numerics_class() const override { return "fake"; }
  uint64_t peak_memory_bytes() const override { return 1 << 20; }

  absl::StatusOr<std::vector<TensorSpec>> Initialize(
      const ModelConfig& /*model*/, uint64_t seed,
      const std::vector<const SafetensorsFile*>& files,
      const std::string& output_path) override {
    ++units;
    Note(files, given);
    MEANFIELD_RETURN_IF_ERROR(
        Write(output_path, static_cast<float>(seed % 1000)));
    return Specs();
  }

  absl::StatusOr<TrainOutcome> Train(const TrainTask& task,
                                     std::stop_token stop,
                                     ProgressFn progress) override {
    ++units;
    Note(task.frozen, frozen);
    TrainOutcome outcome;
    for (uint64_t step = 0; step < task.num_steps; ++step) {
      MEANFIELD_RETURN_IF_ERROR(TakeStep(step, stop));
      outcome = {.steps = step + 1,
                 .examples = step + 1,
                 .tokens = 10 * (step + 1),
                 .loss_sum = 0.5 * static_cast<double>(step + 1),
                 .loss_count = step + 1};
      progress({outcome.steps, outcome.tokens, outcome.loss_sum,
                outcome.loss_count});
    }
    MEANFIELD_RETURN_IF_ERROR(Write(
        task.output_path, static_cast<float>(task.seed % 1000) + task.lr_first +
                              static_cast<float>(task.data.size())));
    return outcome;
  }

  absl::Status Evaluate(const EvaluateTask& task, std::stop_token stop,
                        ProgressFn progress) override {
    ++units;
    Note(task.frozen, frozen);
    MEANFIELD_RETURN_IF_ERROR(TakeStep(0, stop));
    progress({.steps_done = 1,
              .tokens_done = static_cast<uint64_t>(task.data.num_tokens())});
    MEANFIELD_ASSIGN_OR_RETURN(
        SafetensorsWriter writer,
        SafetensorsWriter::Create(task.output_path,
                                  {{.name = "predictions",
                                    .dtype = DType::kI32,
                                    .shape = {task.data.size()}}}));
    return writer.Finish();
  }

  std::vector<TensorSpec> Specs() const {
    return {{.name = "weight", .shape = {static_cast<int64_t>(output_floats)}},
            {.name = "scalar", .shape = {}},
            {.name = "empty", .shape = {0, 3}},
            {.name = "steps",
             .dtype = DType::kI64,
             .shape = {},
             .role = TensorRole::kCounter}};
  }

 private:
  static void Note(const std::vector<const SafetensorsFile*>& files,
                   std::vector<std::string>& names) {
    for (const SafetensorsFile* file : files) {
      for (const TensorView& tensor : file->tensors()) {
        names.push_back(tensor.spec.name);
      }
    }
  }
  absl::Status TakeStep(uint64_t step, const std::stop_token& stop) {
    MEANFIELD_RETURN_IF_ERROR(on_step(step, stop));
    return stop.stop_requested() ? absl::CancelledError("stop was requested")
                                 : absl::OkStatus();
  }
  absl::Status Write(const std::string& path, float value) const {
    MEANFIELD_ASSIGN_OR_RETURN(SafetensorsWriter writer,
                               SafetensorsWriter::Create(path, Specs()));
    for (float& weight : writer.MutableAs<float>("weight")) weight = value;
    return writer.Finish();
  }
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_SUPPORT_FAKE_TRAINER_H_
