#include "common/kernels/accumulator.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "common/kernels/fold_levels.h"
#include "gtest/gtest.h"
#include "tests/common/kernels/random_floats.h"

namespace meanfield::kernels {
namespace {

// Folds two updates on a device; outcomes and mean as the reference has them.
void ExpectReference(Device& device, size_t size) {
  const auto base = WeightLike<float>(size, 1);
  const auto good = WeightLike<float>(size, 2);
  const auto bad = AnyFloats<float>(size, 3);
  const int exponent = FoldExponent(MaxAbs(ViewOf(base)));
  auto made = device.NewAccumulator(ViewOf(base), exponent);
  ASSERT_TRUE(made.ok()) << made.error();
  std::vector<uint64_t> sum(size);

  for (const auto* update : {&good, &bad}) {
    auto outcome = made.value()->Fold(ViewOf(*update), 0.4);
    ASSERT_TRUE(outcome.ok()) << outcome.error();
    const FoldOutcome expected =
        FoldReference(ViewOf(base), ViewOf(*update), {exponent, 0.4}, sum);
    EXPECT_EQ(outcome.value().squares, expected.squares);
    EXPECT_EQ(outcome.value().first_invalid, expected.first_invalid);
  }
  std::vector<float> mean(size), expected(size);
  ASSERT_TRUE(made.value()->Finish(1.25, mean.data()).ok());
  FinishMean(ViewOf(base), sum, exponent, 1.25, expected.data());
  EXPECT_EQ(mean, expected);
}

TEST(CpuAccumulator, Folds_AsTheReference) {
  for (const size_t size : {0, 1, 513, 20'000}) {
    ExpectReference(*OpenCpu(), size);
  }
}

TEST(CudaAccumulator, Folds_AsTheReference) {
  auto device = OpenCuda(0);
  if (!device.ok()) GTEST_SKIP() << device.error();

  for (const size_t size : {0, 1, 513, 20'000, 5'000'000}) {
    ExpectReference(*device.value(), size);
  }
}

TEST(OpenCuda, NoSuchDevice_SaysSo) {
  auto device = OpenCuda(-1);

  ASSERT_FALSE(device.ok());
  EXPECT_NE(device.error().find("CUDA"), std::string::npos);
}

}  // namespace
}  // namespace meanfield::kernels
