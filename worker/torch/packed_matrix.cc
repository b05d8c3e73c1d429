#include "worker/torch/packed_matrix.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace meanfield {
namespace {

constexpr int64_t kPanel = 16;       // columns
constexpr int64_t kBlockRows = 256;  // a panel of a block stays in the L1 cache
constexpr int64_t kTileRows = 6;     // of the product, kept in registers

int64_t RoundUp(int64_t value) {
  return (value + kPanel - 1) / kPanel * kPanel;
}

// A tile of the product: to += rows of `from` times one panel of `depth` rows.
struct Tile {
  const float* from;
  int64_t from_stride;
  const float* panel;
  int64_t depth;
  float* to;
  int64_t to_stride;
};

template <int kRows>
void MultiplyPortably(const Tile& tile) {
  float sums[kRows][kPanel];
  for (int row = 0; row < kRows; ++row) {
    std::copy_n(tile.to + row * tile.to_stride, kPanel, sums[row]);
  }
  const float* panel = tile.panel;
  for (int64_t k = 0; k < tile.depth; ++k, panel += kPanel) {
    for (int row = 0; row < kRows; ++row) {
      const float value = tile.from[row * tile.from_stride + k];
      for (int64_t j = 0; j < kPanel; ++j) sums[row][j] += value * panel[j];
    }
  }
  for (int row = 0; row < kRows; ++row) {
    std::copy_n(sums[row], kPanel, tile.to + row * tile.to_stride);
  }
}

#if defined(__x86_64__)
template <int kRows>
__attribute__((target("avx2,fma"))) void MultiplyWithFma(const Tile& tile) {
  __m256 left[kRows];  // columns 0 … 7
  __m256 right[kRows];
#pragma GCC unroll 6
  for (int row = 0; row < kRows; ++row) {
    const float* to = tile.to + row * tile.to_stride;
    left[row] = _mm256_loadu_ps(to);
    right[row] = _mm256_loadu_ps(to + 8);
  }
  const float* panel = tile.panel;
  for (int64_t k = 0; k < tile.depth; ++k, panel += kPanel) {
    const __m256 panel_left = _mm256_loadu_ps(panel);
    const __m256 panel_right = _mm256_loadu_ps(panel + 8);
#pragma GCC unroll 6
    for (int row = 0; row < kRows; ++row) {
      const __m256 value =
          _mm256_broadcast_ss(tile.from + row * tile.from_stride + k);
      left[row] = _mm256_fmadd_ps(value, panel_left, left[row]);
      right[row] = _mm256_fmadd_ps(value, panel_right, right[row]);
    }
  }
#pragma GCC unroll 6
  for (int row = 0; row < kRows; ++row) {
    float* to = tile.to + row * tile.to_stride;
    _mm256_storeu_ps(to, left[row]);
    _mm256_storeu_ps(to + 8, right[row]);
  }
}
#endif

using Kernel = void (*)(const Tile&);

// By the number of rows.
const Kernel* Kernels() {
  static constexpr Kernel kPortable[kTileRows + 1] = {nullptr,
                                                      MultiplyPortably<1>,
                                                      MultiplyPortably<2>,
                                                      MultiplyPortably<3>,
                                                      MultiplyPortably<4>,
                                                      MultiplyPortably<5>,
                                                      MultiplyPortably<6>};
#if defined(__x86_64__)
  static constexpr Kernel kFma[kTileRows + 1] = {nullptr,
                                                 MultiplyWithFma<1>,
                                                 MultiplyWithFma<2>,
                                                 MultiplyWithFma<3>,
                                                 MultiplyWithFma<4>,
                                                 MultiplyWithFma<5>,
                                                 MultiplyWithFma<6>};
  static const bool has_fma =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_fma) return kFma;
#endif
  return kPortable;
}

// Of the last panel only `width` columns exist in the product.
void MultiplyNarrow(Kernel kernel, const Tile& tile, int64_t rows,
                    int64_t width) {
  float whole[kTileRows * kPanel] = {};
  Tile wide = tile;
  wide.to = whole;
  wide.to_stride = kPanel;
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(tile.to + row * tile.to_stride, width, whole + row * kPanel);
  }
  kernel(wide);
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(whole + row * kPanel, width, tile.to + row * tile.to_stride);
  }
}

inline void PackPanel(const float* from, int64_t down, int64_t right,
                      int64_t rows, float* to) {
  for (int64_t row = 0; row < rows; ++row, to += kPanel) {
    for (int64_t j = 0; j < kPanel; ++j) to[j] = from[row * down + j * right];
  }
}

void PackNarrow(const float* from, int64_t down, int64_t right, int64_t rows,
                int64_t width, float* to) {
  std::fill_n(to, rows * kPanel, 0.0f);
  for (int64_t row = 0; row < rows; ++row, to += kPanel) {
    for (int64_t j = 0; j < width; ++j) to[j] = from[row * down + j * right];
  }
}

}  // namespace

PackedMatrix::PackedMatrix(const float* values, int64_t depth, int64_t width,
                           Layout layout)
    : depth_(depth),
      width_(width),
      panels_(std::make_unique_for_overwrite<float[]>(depth * RoundUp(width))) {
  // From one row of a panel to the next, and from one column to the next.
  const bool as_is = layout == Layout::kAsIs;
  const int64_t down = as_is ? width : 1;
  const int64_t right = as_is ? 1 : depth;
  float* to = panels_.get();
  for (int64_t first = 0; first < depth; first += kBlockRows) {
    const int64_t rows = std::min(kBlockRows, depth - first);
    for (int64_t column = 0; column < width; column += kPanel) {
      const float* from = values + first * down + column * right;
      if (width - column < kPanel) {
        PackNarrow(from, down, right, rows, width - column, to);
      } else if (as_is) {
        PackPanel(from, down, 1, rows, to);
      } else {
        PackPanel(from, 1, right, rows, to);
      }
      to += rows * kPanel;
    }
  }
}

void PackedMatrix::Multiply(const float* from, int64_t from_stride,
                            int64_t rows, float* to, int64_t to_stride) const {
  for (int64_t row = 0; row < rows; ++row) {
    std::fill_n(to + row * to_stride, width_, 0.0f);
  }
  MultiplyAdd(from, from_stride, rows, to, to_stride);
}

void PackedMatrix::MultiplyAdd(const float* from, int64_t from_stride,
                               int64_t rows, float* to,
                               int64_t to_stride) const {
  const Kernel* kernels = Kernels();
  const float* panel = panels_.get();
  for (int64_t first = 0; first < depth_; first += kBlockRows) {
    const int64_t depth = std::min(kBlockRows, depth_ - first);
    for (int64_t column = 0; column < width_; column += kPanel) {
      const int64_t width = std::min(kPanel, width_ - column);
      for (int64_t row = 0; row < rows; row += kTileRows) {
        const int64_t count = std::min(kTileRows, rows - row);
        const Tile tile = {.from = from + row * from_stride + first,
                           .from_stride = from_stride,
                           .panel = panel,
                           .depth = depth,
                           .to = to + row * to_stride + column,
                           .to_stride = to_stride};
        if (width == kPanel) {
          kernels[count](tile);
        } else {
          MultiplyNarrow(kernels[count], tile, count, width);
        }
      }
      panel += depth * kPanel;
    }
  }
}

}  // namespace meanfield
