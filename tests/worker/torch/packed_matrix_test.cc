#include "worker/torch/packed_matrix.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "common/base/random.h"
#include "gtest/gtest.h"

namespace meanfield {
namespace {

std::vector<float> Draw(int64_t size, CounterRng& rng) {
  std::vector<float> values;
  for (int64_t i = 0; i < size; ++i) {
    values.push_back(static_cast<float>(rng.Below(2001)) / 1000 - 1);
  }
  return values;
}

// Around the sizes of panels, blocks and tiles.
class EverySize
    : public ::testing::TestWithParam<std::tuple<int64_t, int64_t, int64_t>> {
 protected:
  // Rows of what is multiplied and of the product lie further apart than they
  // are wide; what is between must stay.
  static constexpr int64_t kGap = 3;

  EverySize() {
    std::tie(rows_, depth_, width_) = GetParam();
    CounterRng rng(1);
    from_ = Draw(rows_ * (depth_ + kGap), rng);
    matrix_ = Draw(depth_ * width_, rng);
    to_ = Draw(rows_ * (width_ + kGap), rng);
  }

  void ExpectProduct(const std::vector<float>& actual, bool added) const {
    for (int64_t row = 0; row < rows_; ++row) {
      for (int64_t column = 0; column < width_ + kGap; ++column) {
        const int64_t at = row * (width_ + kGap) + column;
        if (column >= width_) {
          ASSERT_EQ(actual[at], to_[at]) << "the gap behind row " << row;
          continue;
        }
        double sum = added ? to_[at] : 0;
        for (int64_t k = 0; k < depth_; ++k) {
          sum += double{from_[row * (depth_ + kGap) + k]} *
                 matrix_[k * width_ + column];
        }
        ASSERT_NEAR(actual[at], sum, 1e-4) << row << " " << column;
      }
    }
  }

  int64_t rows_ = 0;
  int64_t depth_ = 0;
  int64_t width_ = 0;
  std::vector<float> from_;
  std::vector<float> matrix_;
  std::vector<float> to_;
};

INSTANTIATE_TEST_SUITE_P(
    , EverySize,
    ::testing::Combine(::testing::Values(0, 1, 2, 3, 4, 5, 6, 7, 13),
                       ::testing::Values(1, 25, 256, 257, 600),
                       ::testing::Values(1, 15, 16, 17, 100)));

TEST_P(EverySize, MultiplyAdd_AddsTheProduct) {
  const PackedMatrix packed(matrix_.data(), depth_, width_,
                            PackedMatrix::Layout::kAsIs);
  std::vector<float> to = to_;

  packed.MultiplyAdd(from_.data(), depth_ + kGap, rows_, to.data(),
                     width_ + kGap);

  ExpectProduct(to, /*added=*/true);
}

TEST_P(EverySize, Multiply_OfTheTransposedIsTheProduct) {
  std::vector<float> transposed(matrix_.size());
  for (int64_t k = 0; k < depth_; ++k) {
    for (int64_t column = 0; column < width_; ++column) {
      transposed[column * depth_ + k] = matrix_[k * width_ + column];
    }
  }
  const PackedMatrix packed(transposed.data(), depth_, width_,
                            PackedMatrix::Layout::kTransposed);
  std::vector<float> to = to_;

  packed.Multiply(from_.data(), depth_ + kGap, rows_, to.data(), width_ + kGap);

  ExpectProduct(to, /*added=*/false);
}

TEST_P(EverySize, ARow_HasItsBitsWhateverTheOthers) {
  if (rows_ == 0) return;
  const PackedMatrix packed(matrix_.data(), depth_, width_,
                            PackedMatrix::Layout::kAsIs);
  std::vector<float> all(rows_ * width_);
  packed.Multiply(from_.data(), depth_ + kGap, rows_, all.data(), width_);

  for (int64_t row = 0; row < rows_; ++row) {
    std::vector<float> alone(width_);
    packed.Multiply(from_.data() + row * (depth_ + kGap), depth_ + kGap, 1,
                    alone.data(), width_);
    EXPECT_TRUE(
        std::equal(alone.begin(), alone.end(), all.begin() + row * width_));
  }
}

}  // namespace
}  // namespace meanfield
