#include "common/tensor/tensor_spec.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "common/tensor/dtype.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace meanfield {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::HasSubstr;

TensorSpec Spec(DType dtype, std::vector<int64_t> shape) {
  return {.name = "w", .dtype = dtype, .shape = std::move(shape)};
}

TEST(DType, Names_ParseBack) {
  for (const DType dtype :
       {DType::kF64, DType::kF32, DType::kF16, DType::kBF16, DType::kI64,
        DType::kI32, DType::kI16, DType::kI8, DType::kU8, DType::kBool}) {
    EXPECT_EQ(ParseDType(DTypeName(dtype)), dtype);
  }
  EXPECT_EQ(ParseDType("f32"), std::nullopt);
  EXPECT_EQ(ParseDType(""), std::nullopt);
}

TEST(DType, Size_IsThatOfTheElement) {
  EXPECT_EQ(SizeOf(DType::kF64), 8);
  EXPECT_EQ(SizeOf(DType::kBF16), 2);
  EXPECT_EQ(SizeOf(DType::kBool), 1);
}

TEST(DType, IsFloat_TellsIntegersApart) {
  EXPECT_TRUE(IsFloat(DType::kBF16));
  EXPECT_FALSE(IsFloat(DType::kI64));
  EXPECT_FALSE(IsFloat(DType::kBool));
}

TEST(TensorSpec, Scalar_HasOneElement) {
  EXPECT_EQ(NumElements(Spec(DType::kF64, {})), 1);
  EXPECT_EQ(NumBytes(Spec(DType::kF64, {})), 8);
}

TEST(TensorSpec, ZeroDimension_HasNoElements) {
  EXPECT_EQ(NumElements(Spec(DType::kF32, {3, 0, 5})), 0);
}

TEST(TensorSpec, DebugString_NamesDTypeAndShape) {
  EXPECT_EQ(DebugString({.name = "rnn.weight_ih_l0",
                         .dtype = DType::kF32,
                         .shape = {1024, 100}}),
            "rnn.weight_ih_l0 F32 [1024, 100]");
}

TEST(TensorSpec, Validate_AcceptsTheLargestThatFits) {
  EXPECT_OK(ValidateTensorSpec(Spec(DType::kU8, {INT64_MAX})));
  EXPECT_OK(ValidateTensorSpec(Spec(DType::kF32, {int64_t{1} << 60})));
}

TEST(TensorSpec, Validate_RefusesOverflowNegativeAndNameless) {
  const auto overflow = StatusIs(absl::StatusCode::kInvalidArgument,
                                 HasSubstr("do not fit 63 bits"));
  EXPECT_THAT(ValidateTensorSpec(Spec(DType::kF32, {int64_t{1} << 61})),
              overflow);
  EXPECT_THAT(ValidateTensorSpec(
                  Spec(DType::kU8, {int64_t{1} << 32, int64_t{1} << 32})),
              overflow);
  EXPECT_THAT(ValidateTensorSpec(
                  Spec(DType::kU8, {0, int64_t{1} << 32, int64_t{1} << 32})),
              overflow);
  EXPECT_THAT(ValidateTensorSpec(Spec(DType::kU8, {2, -1})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("size -1 is negative")));
  EXPECT_THAT(ValidateTensorSpec({.name = ""}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("without a name")));
}

}  // namespace
}  // namespace meanfield
