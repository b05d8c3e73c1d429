#ifndef MEANFIELD_COMMON_KERNELS_FLOAT_VIEW_H_
#define MEANFIELD_COMMON_KERNELS_FLOAT_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/kernels/host_device.h"

namespace meanfield::kernels {

enum class FloatType { kF32, kF64, kF16, kBF16 };

struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

// The elements of a tensor, borrowed. Aligned to its element type.
struct FloatView {
  FloatType type = FloatType::kF32;
  const void* data = nullptr;
  size_t size = 0;  // elements

  template <typename T>
  const T* As() const {
    return static_cast<const T*>(data);
  }
};

constexpr size_t SizeOf(FloatType type) {
  return type == FloatType::kF64 ? 8 : type == FloatType::kF32 ? 4 : 2;
}

MEANFIELD_HOST_DEVICE inline float FloatOfBits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Exact conversions.
MEANFIELD_HOST_DEVICE inline double ToDouble(double value) { return value; }
MEANFIELD_HOST_DEVICE inline double ToDouble(float value) { return value; }
MEANFIELD_HOST_DEVICE inline double ToDouble(BFloat16 value) {
  return FloatOfBits(static_cast<uint32_t>(value.bits) << 16);
}
MEANFIELD_HOST_DEVICE inline double ToDouble(Half value) {
  const uint32_t sign = (value.bits & 0x8000u) << 16;
  const uint32_t magnitude = value.bits & 0x7fffu;
  if (magnitude >= 0x7c00u) {  // infinity or NaN
    return FloatOfBits(sign | 0x7f800000u | (magnitude << 13));
  }
  // A float's exponent is biased by 112 more.
  const double scaled = FloatOfBits(magnitude << 13) * 0x1p112;
  return sign != 0 ? -scaled : scaled;
}

}  // namespace meanfield::kernels

#endif  // MEANFIELD_COMMON_KERNELS_FLOAT_VIEW_H_
