// What the gate refuses, and that a refused update leaves no trace.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "coordinator/aggregate/exact_mean.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/aggregate/model_files.h"
#include "tests/support/status_matchers.h"

namespace meanfield::aggregate {
namespace {

using ::meanfield::testing::ReadFile;
using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Model Plain(float a = 1, float b = 2) {
  return Model()
      .With<float>("a", {1, 2}, {a, 0.5f})
      .With<float>("b", {2, 1}, {0.25f, b});
}

class RejectionTest : public ::testing::Test {
 protected:
  SafetensorsFile File(const Model& model) {
    return model.WriteTo(folder_.File(std::to_string(++files_)));
  }
  void ExpectRefused(const Model& update, const std::string& reason,
                     uint64_t weight = 1) {
    EXPECT_THAT(
        mean_.Add(File(update), weight),
        StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(reason)));
    EXPECT_EQ(mean_.accepted_updates(), 0);
    EXPECT_EQ(mean_.accepted_weight(), 0u);
  }
  std::string MeanOfTwo(ExactMean& mean) {
    EXPECT_OK(mean.Add(File(Plain(3, 4)), 40));
    EXPECT_OK(mean.Add(File(Plain(-7, 1e-9f)), 60));
    EXPECT_OK(mean.Finish(folder_.File("mean"), nullptr));
    return ReadFile(folder_.File("mean"));
  }

  TemporaryFolder folder_;
  int files_ = 0;
  Model model_ = Plain();
  SafetensorsFile base_ = File(model_);
  ExactMean mean_ = *ExactMean::Create(base_, model_.specs(), 100);
};

TEST_F(RejectionTest, Nan_NamesTensorAndElement) {
  ExpectRefused(Plain(1, kNan), "nan: b[1, 0] is nan, was 2");
  ExpectRefused(Plain(-kNan, 1), "nan: a[0, 0]");
}

TEST_F(RejectionTest, Inf_NamesTensorAndElement) {
  ExpectRefused(Plain(-kInf, 1), "inf: a[0, 0] is -inf, was 1");
}

TEST_F(RejectionTest, Exploded_SaysHowFarItMayGo) {
  ExpectRefused(Plain(1, 3000),
                "exploded: b[1, 0] is 3000, was 2 before training; it may "
                "change by less than 2048");
}

TEST_F(RejectionTest, MissingAndExtra_NameTheTensor) {
  ExpectRefused(Model().With<float>("a", {1, 2}, {1, 2}), "missing: ");
  ExpectRefused(Plain().With<float>("c", {1.f}), "extra: ");
}

TEST_F(RejectionTest, ShapeAndDType_NameBoth) {
  ExpectRefused(
      Model().With<float>("a", {2}, {1, 2}).With<float>("b", {2, 1}, {1, 2}),
      "shape: the update has tensor a F32 [2], expected a F32 [1, 2]");
  ExpectRefused(Model()
                    .With<double>("a", {1, 2}, {1, 2})
                    .With<float>("b", {2, 1}, {1, 2}),
                "dtype: the update has tensor a F64");
}

TEST_F(RejectionTest, WeightOutsideTheGroup_IsRefused) {
  ExpectRefused(Plain(), "weight: the update weighs 0", 0);
  ExpectRefused(Plain(), "weight: the update weighs 101", 101);
  ExpectRefused(Plain(), "weight: ", std::numeric_limits<uint64_t>::max());
}

TEST_F(RejectionTest, WeightsThatSumAboveTheGroup_AreRefused) {
  ASSERT_OK(mean_.Add(File(Plain()), 60));

  EXPECT_THAT(mean_.Add(File(Plain()), 41),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(StartsWith("weight: "), HasSubstr("1 to 40"),
                             HasSubstr("60 of 100"))));
}

TEST_F(RejectionTest, FrozenTensor_IsExtra) {
  const Model model = Plain().With<float>("words", {1.f}, TensorRole::kFrozen);
  ExactMean mean = *ExactMean::Create(base_, model.specs(), 100);

  EXPECT_THAT(mean.Add(File(model), 1),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       StartsWith("extra: the update has tensor words")));
}

TEST_F(RejectionTest, RefusedUpdates_LeaveNoTrace) {
  ExactMean clean = *ExactMean::Create(base_, model_.specs(), 100);
  const std::string expected = MeanOfTwo(clean);

  ExpectRefused(Plain(0.5f, kNan), "nan: ");
  ExpectRefused(Plain(kInf, 0.5f), "inf: ");
  ExpectRefused(Plain(0.5f, -9999), "exploded: ");

  EXPECT_EQ(MeanOfTwo(mean_), expected);
}

TEST_F(RejectionTest, RemoveFromNothing_IsRefused) {
  EXPECT_THAT(mean_.Remove(base_, 1),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("0 updates of weight 0")));
}

TEST_F(RejectionTest, RemoveOfAnInvalidUpdate_IsRefusedWithoutATrace) {
  ExactMean clean = *ExactMean::Create(base_, model_.specs(), 100);
  const std::string expected = MeanOfTwo(clean);
  ASSERT_OK(mean_.Add(File(Plain(3, 4)), 40));

  EXPECT_THAT(mean_.Remove(File(Plain(3, kNan)), 40),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("nan: b[1, 0]")));

  ASSERT_OK(mean_.Remove(File(Plain(3, 4)), 40));
  EXPECT_EQ(MeanOfTwo(mean_), expected);
}

TEST_F(RejectionTest, BaseThatIsNotFinite_CannotBeAveraged) {
  const Model model = Plain(kInf, kNan);
  const SafetensorsFile base = File(model);

  EXPECT_THAT(ExactMean::Create(base, model.specs(), 1),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       StartsWith("inf: tensor a F32 [1, 2] of the global")));
}

TEST_F(RejectionTest, BaseOfOtherTensors_CannotBeAveraged) {
  const Model model = Plain().With<float>("c", {1.f});

  EXPECT_THAT(ExactMean::Create(base_, model.specs(), 1),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       StartsWith("missing: the global model lacks tensor c")));
}

TEST_F(RejectionTest, IntegerParameter_CannotBeAveraged) {
  const Model model = Model().With<int64_t>("ids", {1, 2});
  const SafetensorsFile base = File(model);

  EXPECT_THAT(ExactMean::Create(base, model.specs(), 1),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       StartsWith("dtype: tensor ids I64 [2]")));
}

TEST_F(RejectionTest, GroupWithoutWeightOrAbove2To53_CannotBeAveraged) {
  for (const uint64_t total : {uint64_t{0}, uint64_t{1} << 53}) {
    EXPECT_THAT(
        ExactMean::Create(base_, model_.specs(), total),
        StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("weight: ")));
  }
}

}  // namespace
}  // namespace meanfield::aggregate
