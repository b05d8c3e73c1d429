#ifndef MEANFIELD_TESTS_BENCHMARK_COMPARE_H_
#define MEANFIELD_TESTS_BENCHMARK_COMPARE_H_

#include <cstdio>
#include <ctime>

#include "common/base/check.h"
#include "tests/worker/torch/plain_models.h"
#include "tests/worker/torch/toy_units.h"

namespace meanfield {

inline double CpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Runs the unit and a plain LibTorch loop over the same batches, prints both.
// Returns the unit's tokens per CPU second. LibTorch's clip_grad_norm_ leaves
// sparse gradients as they are, so the plain loop does not clip.
template <typename Module>
double Compare(const char* name, testing::ToyUnits& units, TrainTask task,
               Module&& plain, const testing::ToyShard& shard) {
  const double begin = CpuSeconds();
  const absl::StatusOr<TrainOutcome> outcome = units.Train(task);
  const double ours = CpuSeconds() - begin;
  MEANFIELD_CHECK(outcome.ok(), outcome.status().ToString());

  testing::LoadPlainly(plain, *task.global_model);
  task.training.max_grad_norm.reset();
  const double plain_begin = CpuSeconds();
  testing::TrainPlainly(plain, task, shard);
  const double theirs = CpuSeconds() - plain_begin;
  const double tokens = static_cast<double>(outcome->tokens);
  const double steps = static_cast<double>(outcome->steps);
  std::printf(
      "%s: %.0f tokens, %.0f steps\n"
      "  meanfield      %8.3f ms/step %10.0f tokens per CPU second "
      "(%.4f s of %.3f s waiting for input)\n"
      "  plain LibTorch %8.3f ms/step %10.0f tokens per CPU second\n"
      "  ratio          %8.3f\n",
      name, tokens, steps, ours * 1e3 / steps, tokens / ours,
      outcome->input_wait_s, ours, theirs * 1e3 / steps, tokens / theirs,
      theirs / ours);
  std::fflush(stdout);
  return tokens / ours;
}

}  // namespace meanfield

#endif  // MEANFIELD_TESTS_BENCHMARK_COMPARE_H_
