#include "common/kernels/fold.h"

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tests/common/kernels/random_floats.h"

namespace meanfield::kernels {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

FoldOutcome FoldOne(double base, double update, uint64_t* sum,
                    double fraction = 1) {
  const std::vector<double> bases = {base}, updates = {update};
  return Fold(ViewOf(bases), ViewOf(updates), {52, fraction}, {sum, 1});
}

TEST(FoldExponent, PowersOfTwo_AreTheirOwnCeiling) {
  EXPECT_EQ(FoldExponent(0), 52);
  EXPECT_EQ(FoldExponent(1), 52);
  EXPECT_EQ(FoldExponent(std::nextafter(1.0, 2.0)), 51);
  EXPECT_EQ(FoldExponent(2), 51);
  EXPECT_EQ(FoldExponent(2.5), 50);
  EXPECT_EQ(FoldExponent(FLT_MAX), 52 - 128);
  EXPECT_EQ(FoldExponent(DBL_MAX), 52 - 1024);
}

TEST(MaxAbs, NotFinite_Wins) {
  const std::vector<float> none, plain = {0.5f, -3, 2};
  const std::vector<float> inf = {1, -kInf, 2}, nan = {kInf, kNan, 1};

  EXPECT_EQ(MaxAbs(ViewOf(none)), 0);
  EXPECT_EQ(MaxAbs(ViewOf(plain)), 3);
  EXPECT_TRUE(std::isinf(MaxAbs(ViewOf(inf))));
  EXPECT_TRUE(std::isnan(MaxAbs(ViewOf(nan))));
}

TEST(MaxAbs, F64_KeepsItsPrecision) {
  const std::vector<double> values = {1, -1.0000000000000002, 0};

  EXPECT_EQ(MaxAbs(ViewOf(values)), 1.0000000000000002);
}

TEST(Fold, TermsAtTheLimit_AreValidJustBelowIt) {
  uint64_t sum = 0;
  const double limit = 1024;

  EXPECT_EQ(FoldOne(0, std::nextafter(limit, 0), &sum).first_invalid,
            std::nullopt);
  EXPECT_NE(sum, 0u);
  sum = 0;
  EXPECT_EQ(FoldOne(0, limit, &sum).first_invalid, 0u);
  EXPECT_EQ(FoldOne(0, -limit, &sum).first_invalid, 0u);
  EXPECT_EQ(sum, 0u);
}

TEST(Fold, ExplodedTermOfASmallWeight_IsInvalidAllTheSame) {
  uint64_t sum = 5;

  const FoldOutcome outcome = FoldOne(0, 4096, &sum, 0x1p-20);

  EXPECT_EQ(outcome.first_invalid, 0u);
  EXPECT_EQ(sum, 5u);
}

TEST(Fold, InvalidTerms_CountAsZeroAndTheFirstIsNamed) {
  const std::vector<float> base(1500);
  std::vector<float> update(1500, 0.25f);
  update[700] = kInf;
  update[1400] = kNan;
  std::vector<uint64_t> sum(1500);

  const FoldOutcome outcome =
      Fold(ViewOf(base), ViewOf(update), {52, 1.0}, sum);

  EXPECT_EQ(outcome.first_invalid, 700u);
  EXPECT_EQ(sum[700], 0u);
  EXPECT_EQ(sum[1400], 0u);
  EXPECT_EQ(sum[1499], uint64_t{1} << 50);
  EXPECT_EQ(std::ldexp(std::sqrt(outcome.squares), -52),
            std::sqrt(1498 * 0.0625));
}

TEST(Fold, DifferenceOfHugeNumbersThatOverflows_IsInvalid) {
  const std::vector<double> base = {-DBL_MAX}, update = {DBL_MAX};
  uint64_t sum = 0;

  const FoldOutcome outcome =
      Fold(ViewOf(base), ViewOf(update), {-972, 1.0}, {&sum, 1});

  EXPECT_EQ(outcome.first_invalid, 0u);
  EXPECT_EQ(Classify(ViewOf(update), 0), InvalidKind::kExploded);
}

TEST(Fold, NegativeFraction_TakesTheUpdateOut) {
  const auto base = WeightLike<float>(2000, 1);
  const auto update = AnyFloats<float>(2000, 2);
  auto sum = AnyFloats<double>(2000, 3);
  std::vector<uint64_t> bits(2000);
  for (size_t i = 0; i < bits.size(); ++i) {
    bits[i] = std::bit_cast<uint64_t>(sum[i]);
  }
  const std::vector<uint64_t> before = bits;

  Fold(ViewOf(base), ViewOf(update), {49, 0.3}, bits);
  EXPECT_NE(bits, before);
  Fold(ViewOf(base), ViewOf(update), {49, -0.3}, bits);

  EXPECT_EQ(bits, before);
}

TEST(Fold, Squares_DoNotDependOnWhatIsFoldedInto) {
  const auto base = WeightLike<float>(5000, 1);
  const auto update = WeightLike<float>(5000, 2);
  std::vector<uint64_t> zeros(5000), others(5000, 1234567);

  const double one =
      Fold(ViewOf(base), ViewOf(update), {48, 0.5}, zeros).squares;
  const double other =
      Fold(ViewOf(base), ViewOf(update), {48, -0.1}, others).squares;

  EXPECT_EQ(one, other);
}

TEST(Fold, SquaresOfTheLargestTerms_DoNotOverflow) {
  const std::vector<double> base(600, 0), update(600, DBL_MAX);
  std::vector<uint64_t> sum(600);

  const FoldOutcome outcome =
      Fold(ViewOf(base), ViewOf(update), {-972, 1.0}, sum);

  EXPECT_EQ(outcome.first_invalid, std::nullopt);
  EXPECT_TRUE(std::isfinite(outcome.squares));
}

TEST(Classify, EveryKind_IsTold) {
  const std::vector<float> update = {kNan, -kNan, kInf, -kInf, 3e38f};

  EXPECT_EQ(Classify(ViewOf(update), 0), InvalidKind::kNan);
  EXPECT_EQ(Classify(ViewOf(update), 1), InvalidKind::kNan);
  EXPECT_EQ(Classify(ViewOf(update), 2), InvalidKind::kInf);
  EXPECT_EQ(Classify(ViewOf(update), 3), InvalidKind::kInf);
  EXPECT_EQ(Classify(ViewOf(update), 4), InvalidKind::kExploded);
}

TEST(CanFold, OnlyNarrowerOrEqualTypes_FoldIntoABase) {
  EXPECT_TRUE(CanFold(FloatType::kF32, FloatType::kBF16));
  EXPECT_TRUE(CanFold(FloatType::kF64, FloatType::kF64));
  EXPECT_FALSE(CanFold(FloatType::kF32, FloatType::kF64));
  EXPECT_FALSE(CanFold(FloatType::kF64, FloatType::kF32));
  EXPECT_FALSE(CanFold(FloatType::kF16, FloatType::kF16));
}

}  // namespace
}  // namespace meanfield::kernels
