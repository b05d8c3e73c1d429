// kernels_check [ELEMENTS]: folds random updates with every implementation,
// compares each with the reference, and times it.
// Exit codes: 0 all equal, 1 a difference, 2 bad usage, 77 all equal but there
// was no GPU to check.
#include <ctime>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/kernels/accumulator.h"
#include "common/kernels/fold_levels.h"

namespace meanfield::kernels {
namespace {

constexpr int kNoGpu = 77;
constexpr double kFractions[] = {0.1, 0.3, 0.25, 0.35};
constexpr double kRatio = 1.25;

double Seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * now.tv_nsec;
}

// A base and updates of it; the last update has invalid elements.
struct Tensors {
  std::vector<float> base;
  std::vector<std::vector<float>> updates;
};

FloatView ViewOf(const std::vector<float>& values) {
  return {FloatType::kF32, values.data(), values.size()};
}

Tensors RandomTensors(size_t size) {
  std::mt19937 random(20);
  std::normal_distribution<float> normal;
  Tensors tensors;
  tensors.base.resize(size);
  for (float& value : tensors.base) value = normal(random);
  for (size_t k = 0; k < std::size(kFractions); ++k) {
    std::vector<float>& update = tensors.updates.emplace_back(tensors.base);
    const uint32_t seed = random();
    for (size_t i = 0; i < size; ++i) {
      const uint32_t bits = (seed + static_cast<uint32_t>(i)) * 2654435761u;
      update[i] += std::ldexp(static_cast<float>(bits), -40);
    }
  }
  for (size_t i = size / 3; i < size; i += size / 7 + 1) {
    tensors.updates.back()[i] = std::numeric_limits<float>::quiet_NaN();
  }
  return tensors;
}

struct Outcome {
  std::vector<FoldOutcome> folds;
  std::vector<float> mean;
  double fold_s = 0;
};

bool Same(const Outcome& a, const Outcome& b) {
  for (size_t k = 0; k < a.folds.size(); ++k) {
    if (a.folds[k].squares != b.folds[k].squares ||
        a.folds[k].first_invalid != b.folds[k].first_invalid) {
      return false;
    }
  }
  return true;
}

float LargestDifference(const Outcome& a, const Outcome& b) {
  float largest = 0;
  for (size_t i = 0; i < a.mean.size(); ++i) {
    const float difference = std::fabs(a.mean[i] - b.mean[i]);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

Outcome RunLevel(const Tensors& tensors, FoldFunction fold) {
  const FloatView base = ViewOf(tensors.base);
  const int exponent = FoldExponent(MaxAbs(base));
  std::vector<uint64_t> sum(base.size);
  Outcome outcome;
  const double start = Seconds();
  for (size_t k = 0; k < tensors.updates.size(); ++k) {
    outcome.folds.push_back(
        fold(base, ViewOf(tensors.updates[k]), {exponent, kFractions[k]}, sum));
  }
  outcome.fold_s = Seconds() - start;
  outcome.mean.resize(base.size);
  FinishMean(base, sum, exponent, kRatio, outcome.mean.data());
  return outcome;
}

Result<Outcome> RunDevice(const Tensors& tensors, Device& device) {
  const FloatView base = ViewOf(tensors.base);
  std::unique_ptr<Accumulator> sum;
  MEANFIELD_KERNELS_ASSIGN_OR_RETURN(
      sum, device.NewAccumulator(base, FoldExponent(MaxAbs(base))));
  Outcome outcome;
  const double start = Seconds();
  for (size_t k = 0; k < tensors.updates.size(); ++k) {
    FoldOutcome fold;
    MEANFIELD_KERNELS_ASSIGN_OR_RETURN(
        fold, sum->Fold(ViewOf(tensors.updates[k]), kFractions[k]));
    outcome.folds.push_back(fold);
  }
  outcome.fold_s = Seconds() - start;
  outcome.mean.resize(base.size);
  MEANFIELD_KERNELS_RETURN_IF_ERROR(sum->Finish(kRatio, outcome.mean.data()));
  return outcome;
}

// Prints a line; whether the bits are the reference's.
bool Report(const std::string& name, const Outcome& outcome,
            const Outcome& reference) {
  const float difference = LargestDifference(outcome, reference);
  const bool same = difference == 0 && Same(outcome, reference);
  // Read: base, update, sum; written: sum.
  const double bytes = 24.0 * outcome.mean.size() * outcome.folds.size();
  std::printf("%-10s max difference %g, %s, %.2f ms per update, %.1f GB/s\n",
              name.c_str(), difference, same ? "same bits" : "OTHER BITS",
              1e3 * outcome.fold_s / outcome.folds.size(),
              1e-9 * bytes / outcome.fold_s);
  return same;
}

int CheckCuda(const Tensors& tensors, const Outcome& reference) {
  auto device = OpenCuda(0);
  if (!device.ok()) {
    std::printf("cuda       not checked: %s\n", device.error().c_str());
    return kNoGpu;
  }
  int exit_code = EXIT_SUCCESS;
  for (const char* name : {"cuda cold", "cuda"}) {
    auto outcome = RunDevice(tensors, *device.value());
    if (!outcome.ok()) {
      std::printf("cuda       failed: %s\n", outcome.error().c_str());
      return EXIT_FAILURE;
    }
    if (!Report(name, outcome.value(), reference)) exit_code = EXIT_FAILURE;
  }
  return exit_code;
}

int Check(size_t size) {
  const Tensors tensors = RandomTensors(size);
  std::printf("%zu updates of %zu elements, F32\n", tensors.updates.size(),
              size);
  const Outcome reference = RunLevel(tensors, &FoldReference);
  Report("reference", reference, reference);
  bool same = true;
  for (const FoldLevel& level : FoldLevels()) {
    same &= Report(level.name, RunLevel(tensors, level.fold), reference);
  }
  const int cuda = CheckCuda(tensors, reference);
  return same ? cuda : EXIT_FAILURE;
}

}  // namespace
}  // namespace meanfield::kernels

int main(int argc, char** argv) {
  char* end = nullptr;
  const long long size =
      argc > 1 ? std::strtoll(argv[1], &end, 10) : 10'000'000;
  if (argc > 2 || size < 1 || (end != nullptr && *end != '\0')) {
    std::fprintf(stderr, "usage: kernels_check [ELEMENTS]\n");
    return 2;
  }
  return meanfield::kernels::Check(static_cast<size_t>(size));
}
