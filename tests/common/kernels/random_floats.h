#ifndef MEANFIELD_TESTS_COMMON_KERNELS_RANDOM_FLOATS_H_
#define MEANFIELD_TESTS_COMMON_KERNELS_RANDOM_FLOATS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "common/kernels/float_view.h"

namespace meanfield::kernels {

// Any bits: every magnitude, subnormals, infinities and NaNs.
template <typename T>
std::vector<T> AnyFloats(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(size);
  for (T& value : values) {
    if constexpr (sizeof(T) == 8) {
      value = std::bit_cast<T>(random());
    } else if constexpr (sizeof(T) == 4) {
      value = std::bit_cast<T>(static_cast<uint32_t>(random()));
    } else {
      value = T{static_cast<uint16_t>(random())};
    }
  }
  return values;
}

// Like weights: mostly below 1, a few larger.
template <typename T>
std::vector<T> WeightLike(size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(size);
  for (T& value : values) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
    value = static_cast<T>(random() % 50 == 0 ? unit * 30 : unit);
  }
  return values;
}

template <typename T>
constexpr FloatType TypeOf() {
  if (std::is_same_v<T, double>) return FloatType::kF64;
  if (std::is_same_v<T, Half>) return FloatType::kF16;
  if (std::is_same_v<T, BFloat16>) return FloatType::kBF16;
  return FloatType::kF32;
}

template <typename T>
FloatView ViewOf(const std::vector<T>& values) {
  return {TypeOf<T>(), values.data(), values.size()};
}

}  // namespace meanfield::kernels

#endif  // MEANFIELD_TESTS_COMMON_KERNELS_RANDOM_FLOATS_H_
