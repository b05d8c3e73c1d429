#include "common/kernels/float_view.h"

#include <cmath>
#include <cstdint>

#include "gtest/gtest.h"

namespace meanfield::kernels {
namespace {

// IEEE 754 binary16 by its definition.
double HalfByDefinition(uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  if (exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(ToDouble, EveryHalf_IsItsDefinition) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const double expected = HalfByDefinition(bits);
    const double value = ToDouble(Half{static_cast<uint16_t>(bits)});

    ASSERT_TRUE(value == expected || (value != value && expected != expected))
        << bits << ": " << value << ", expected " << expected;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
  }
}

TEST(ToDouble, BFloat16_IsTheUpperHalfOfAFloat) {
  EXPECT_EQ(ToDouble(BFloat16{0x3fc0}), 1.5);
  EXPECT_EQ(ToDouble(BFloat16{0x8001}), -0x1p-133);
  EXPECT_TRUE(std::isinf(ToDouble(BFloat16{0xff80})));
  EXPECT_TRUE(std::isnan(ToDouble(BFloat16{0x7f81})));
}

}  // namespace
}  // namespace meanfield::kernels
