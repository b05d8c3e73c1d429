// The mean against one in 128 bits.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "common/kernels/fold.h"
#include "gtest/gtest.h"
#include "tests/common/kernels/random_floats.h"

namespace meanfield::kernels {
namespace {

// Updates whose elements differ from base by at most 2^power, most of them by
// far less.
template <typename T>
std::vector<std::vector<T>> Updates(const std::vector<T>& base, size_t count,
                                    int power) {
  std::mt19937_64 random(11);
  std::vector<std::vector<T>> updates(count, base);
  for (std::vector<T>& update : updates) {
    for (T& value : update) {
      const double unit = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
      const int less = static_cast<int>(random() % 60);
      value += static_cast<T>(std::ldexp(unit, power - less));
    }
  }
  return updates;
}

template <typename T>
double HalfUlp(__float128 value) {
  const T nearest = std::fabs(static_cast<T>(value));
  return (std::nextafter(nearest, std::numeric_limits<T>::infinity()) -
          nearest) /
         2;
}

// A weighted mean of random updates, and what is known of its error.
template <typename T>
struct Trial {
  Trial(double magnitude, std::vector<uint64_t> weights_in, int power)
      : weights(std::move(weights_in)), base(WeightLike<T>(4000, 3)) {
    for (T& value : base) value *= static_cast<T>(magnitude);
    updates = Updates(base, weights.size(), power);
    largest = MaxAbs(ViewOf(base));
    exponent = FoldExponent(largest);
    for (const uint64_t weight : weights) total += weight;
    std::vector<uint64_t> sum(base.size());
    for (size_t k = 0; k < updates.size(); ++k) {
      Fold(ViewOf(base), ViewOf(updates[k]), {exponent, Fraction(k)}, sum);
    }
    mean.resize(base.size());
    FinishMean(ViewOf(base), sum, exponent, 1, mean.data());
  }

  double Fraction(size_t k) const {
    return static_cast<double>(weights[k]) / static_cast<double>(total);
  }
  __float128 Exact(size_t i) const {
    __float128 exact = 0;
    for (size_t k = 0; k < updates.size(); ++k) {
      exact += static_cast<__float128>(weights[k]) * updates[k][i];
    }
    return exact / total;
  }
  double MeanDifference(size_t i) const {
    double sum = 0;
    for (size_t k = 0; k < updates.size(); ++k) {
      sum += Fraction(k) * std::fabs(double{updates[k][i]} - base[i]);
    }
    return sum;
  }

  std::vector<uint64_t> weights;
  std::vector<T> base;
  std::vector<std::vector<T>> updates;
  double largest = 0;
  int exponent = 0;
  uint64_t total = 0;
  std::vector<T> mean;
};

// Steps of training: no difference exceeds the weights.
template <typename T>
void ExpectWithinBound(double magnitude, const std::vector<uint64_t>& weights) {
  const int power = std::min(0, std::ilogb(magnitude));
  const Trial<T> trial(magnitude, weights, power);
  const double fixed = weights.size() * 0x1p-52 * std::max(1.0, trial.largest);

  for (size_t i = 0; i < trial.mean.size(); ++i) {
    const __float128 exact = trial.Exact(i);
    const double half_ulp = HalfUlp<T>(exact);
    ASSERT_LE(std::fabs(static_cast<double>(trial.mean[i] - exact)),
              std::max(half_ulp, fixed) + half_ulp)
        << i << " of " << weights.size() << " updates: " << trial.mean[i];
  }
}

// Differences up to the limit: what rounding the weights costs counts, too.
template <typename T>
void ExpectWithinWideBound(double magnitude,
                           const std::vector<uint64_t>& weights) {
  const int power = 9 + std::max(0, std::ilogb(magnitude));
  const Trial<T> trial(magnitude, weights, power);
  const double grid = weights.size() * std::ldexp(0.5, -trial.exponent);

  for (size_t i = 0; i < trial.mean.size(); ++i) {
    const __float128 exact = trial.Exact(i);
    ASSERT_LE(std::fabs(static_cast<double>(trial.mean[i] - exact)),
              grid + 0x1p-51 * trial.MeanDifference(i) + HalfUlp<T>(exact))
        << i << " of " << weights.size() << " updates: " << trial.mean[i];
  }
}

TEST(ErrorBound, F32_Holds) {
  ExpectWithinBound<float>(1, {1, 1});
  ExpectWithinBound<float>(1, {101, 99, 100, 3, 1});
  ExpectWithinBound<float>(1, std::vector<uint64_t>(64, 7));
}

TEST(ErrorBound, F32OfLargeWeights_Holds) {
  ExpectWithinBound<float>(1e6, {3, 5, 7});
  ExpectWithinBound<float>(1e30, {1'000'000'007, 998'244'353});
}

TEST(ErrorBound, F32OfTinyWeights_Holds) {
  ExpectWithinBound<float>(1e-6, {3, 5, 7});
  ExpectWithinBound<float>(1e-30, {3, 5, 7});
}

TEST(ErrorBound, F64_Holds) {
  ExpectWithinBound<double>(1, {1, 2, 3});
  ExpectWithinBound<double>(1000, std::vector<uint64_t>(32, 5));
}

TEST(ErrorBound, DifferencesUpToTheLimit_CostTheirShare) {
  ExpectWithinWideBound<float>(1, {101, 99, 100, 3, 1});
  ExpectWithinWideBound<float>(1e30, {3, 5, 7});
  ExpectWithinWideBound<double>(1, {3, 5, 7});
  ExpectWithinWideBound<double>(1e6, std::vector<uint64_t>(32, 5));
}

TEST(Overflow, EightEqualDifferencesJustBelowTheLimit_GiveTheirMean) {
  // An update may leave a base of up to 8 by less than 8192.
  const std::vector<float> base = {8, -8};
  const std::vector<float> update = {8191.8f, -8191.8f};
  const int exponent = FoldExponent(8);
  std::vector<uint64_t> sum(2);
  for (int k = 0; k < 8; ++k) {
    ASSERT_FALSE(Fold(ViewOf(base), ViewOf(update), {exponent, 0.125}, sum)
                     .first_invalid.has_value());
  }
  std::vector<float> mean(2);

  FinishMean(ViewOf(base), sum, exponent, 1, mean.data());

  EXPECT_EQ(mean, update);
}

}  // namespace
}  // namespace meanfield::kernels
