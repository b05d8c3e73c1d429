#include "worker/torch/packed_matrix.h"

#include <algorithm>
#include <cstdint>
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
struct Case {
  // Rows of what is multiplied and of the product lie further apart than they
  // are wide; what is between must stay.
  static constexpr int64_t kGap = 3;

  Case(int64_t rows, int64_t depth, int64_t width)
      : rows_(rows), depth_(depth), width_(width) {
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

// Calls `check` for every combination of sizes; they are loops and not
// parameters, as each parameter would be a process of its own.
template <typename Check>
void ForEverySize(Check check) {
  for (const int64_t rows : {0, 1, 2, 3, 4, 5, 6, 7, 13}) {
    for (const int64_t depth : {1, 25, 256, 257, 600}) {
      for (const int64_t width : {1, 15, 16, 17, 100}) {
        SCOPED_TRACE(::testing::Message()
                     << rows << " x " << depth << " x " << width);
        check(Case(rows, depth, width));
      }
    }
  }
}

TEST(PackedMatrix, MultiplyAdd_AddsTheProduct) {
  ForEverySize([](const Case& c) {
    const PackedMatrix packed(c.matrix_.data(), c.depth_, c.width_,
                              PackedMatrix::Layout::kAsIs);
    std::vector<float> to = c.to_;

    packed.MultiplyAdd(c.from_.data(), c.depth_ + Case::kGap, c.rows_,
                       to.data(), c.width_ + Case::kGap);

    c.ExpectProduct(to, /*added=*/true);
  });
}

TEST(PackedMatrix, Multiply_OfTheTransposedIsTheProduct) {
  ForEverySize([](const Case& c) {
    std::vector<float> transposed(c.matrix_.size());
    for (int64_t k = 0; k < c.depth_; ++k) {
      for (int64_t column = 0; column < c.width_; ++column) {
        transposed[column * c.depth_ + k] = c.matrix_[k * c.width_ + column];
      }
    }
    const PackedMatrix packed(transposed.data(), c.depth_, c.width_,
                              PackedMatrix::Layout::kTransposed);
    std::vector<float> to = c.to_;

    packed.Multiply(c.from_.data(), c.depth_ + Case::kGap, c.rows_, to.data(),
                    c.width_ + Case::kGap);

    c.ExpectProduct(to, /*added=*/false);
  });
}

TEST(PackedMatrix, ARow_HasItsBitsWhateverTheOthers) {
  ForEverySize([](const Case& c) {
    const PackedMatrix packed(c.matrix_.data(), c.depth_, c.width_,
                              PackedMatrix::Layout::kAsIs);
    std::vector<float> all(c.rows_ * c.width_);
    packed.Multiply(c.from_.data(), c.depth_ + Case::kGap, c.rows_, all.data(),
                    c.width_);

    for (int64_t row = 0; row < c.rows_; ++row) {
      std::vector<float> alone(c.width_);
      packed.Multiply(c.from_.data() + row * (c.depth_ + Case::kGap),
                      c.depth_ + Case::kGap, 1, alone.data(), c.width_);
      EXPECT_TRUE(
          std::equal(alone.begin(), alone.end(), all.begin() + row * c.width_));
    }
  });
}

}  // namespace
}  // namespace meanfield
