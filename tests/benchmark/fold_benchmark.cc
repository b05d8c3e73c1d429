// fold_benchmark [ELEMENTS [REPETITIONS]]: CPU time of folding one F32 update
// into the exact mean, beside memcpy and a plain mean in double measured in the
// same run. The fold checks every value and measures the norm besides.
// Default: 41.6 M elements (a language model of 159 MiB), best of 7.
#include <ctime>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "common/kernels/fold_levels.h"

namespace meanfield::kernels {
namespace {

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * now.tv_nsec;
}

struct Buffers {
  explicit Buffers(size_t size)
      : base(size), update(size), copy(size), sum(size), plain_sum(size) {
    for (size_t i = 0; i < size; ++i) {
      base[i] = static_cast<float>(i % 1999) * 0x1p-11f - 0.5f;
      update[i] = base[i] + static_cast<float>(i % 1009) * 0x1p-20f;
    }
  }

  std::vector<float> base, update, copy;
  std::vector<uint64_t> sum;
  std::vector<double> plain_sum;
};

FloatView ViewOf(const std::vector<float>& values) {
  return {FloatType::kF32, values.data(), values.size()};
}

// What a mean costs that depends on the order and checks nothing.
void AddInDouble(const std::vector<float>& update, double fraction,
                 double* __restrict sum) {
  const float* values = update.data();
  const size_t size = update.size();
  for (size_t i = 0; i < size; ++i) sum[i] += fraction * values[i];
}

double BestOf(int repetitions, const std::function<void()>& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repetitions; ++i) {
    const double start = CpuSeconds();
    work();
    best = std::min(best, CpuSeconds() - start);
  }
  return best;
}

// `bytes`: read and written per element.
void Print(const char* what, double seconds, size_t size, double bytes,
           double memcpy_s, double plain_s) {
  std::printf("%-24s %8.2f ms %7.1f GB/s %6.2f x memcpy %6.2f x double mean\n",
              what, 1e3 * seconds, 1e-9 * bytes * size / seconds,
              seconds / memcpy_s, seconds / plain_s);
}

void Run(size_t size, int repetitions) {
  Buffers buffers(size);
  const FloatView base = ViewOf(buffers.base), update = ViewOf(buffers.update);
  const FoldWeight weight = {FoldExponent(MaxAbs(base)), 1.0 / 8};
  const double memcpy_s = BestOf(repetitions, [&] {
    std::memcpy(buffers.copy.data(), buffers.update.data(),
                size * sizeof(float));
  });
  const double plain_s = BestOf(repetitions, [&] {
    AddInDouble(buffers.update, weight.fraction, buffers.plain_sum.data());
  });
  std::printf("CPU time of one thread per update of %zu elements, best of %d\n",
              size, repetitions);
  Print("memcpy", memcpy_s, size, 8, memcpy_s, plain_s);
  Print("double mean, unchecked", plain_s, size, 20, memcpy_s, plain_s);
  for (const FoldLevel& level : FoldLevels()) {
    const double fold_s = BestOf(
        repetitions, [&] { level.fold(base, update, weight, buffers.sum); });
    Print((std::string("exact fold, ") + level.name).c_str(), fold_s, size, 24,
          memcpy_s, plain_s);
  }
  const double finish_s = BestOf(repetitions, [&] {
    FinishMean(base, buffers.sum, weight.exponent, 1, buffers.copy.data());
  });
  Print("finish (once a round)", finish_s, size, 16, memcpy_s, plain_s);
}

}  // namespace
}  // namespace meanfield::kernels

int main(int argc, char** argv) {
  const long long size = argc > 1 ? std::atoll(argv[1]) : 41'600'000;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 7;
  if (size < 1 || repetitions < 1 || argc > 3) {
    std::fprintf(stderr, "usage: fold_benchmark [ELEMENTS [REPETITIONS]]\n");
    return 2;
  }
  meanfield::kernels::Run(static_cast<size_t>(size), repetitions);
}
