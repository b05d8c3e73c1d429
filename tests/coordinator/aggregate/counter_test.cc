#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/aggregate/counter_maximum.h"
#include "coordinator/aggregate/exact_mean.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/aggregate/model_files.h"
#include "tests/support/status_matchers.h"

namespace meanfield::aggregate {
namespace {

using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Model Counting(std::vector<int64_t> steps, float weight = 0) {
  return Model()
      .With<float>("w", {weight})
      .With<int64_t>("steps", std::move(steps), TensorRole::kCounter);
}

class CounterTest : public ::testing::Test {
 protected:
  SafetensorsFile File(const Model& model) {
    return model.WriteTo(folder_.File(std::to_string(++files_)));
  }
  std::vector<int64_t> Steps() {
    EXPECT_OK(mean_.Finish(folder_.File("mean"), nullptr));
    return ValuesOf<int64_t>(*SafetensorsFile::Open(folder_.File("mean")),
                             "steps");
  }

  TemporaryFolder folder_;
  int files_ = 0;
  Model model_ = Counting({100, 100});
  SafetensorsFile base_ = File(model_);
  ExactMean mean_ = *ExactMean::Create(base_, model_.specs(), 4);
};

TEST_F(CounterTest, Mean_HoldsTheMaximumOfEachElement) {
  ASSERT_OK(mean_.Add(File(Counting({7, -3})), 1));
  ASSERT_OK(mean_.Add(File(Counting({5, -1})), 1));

  EXPECT_THAT(Steps(), ElementsAre(7, -1));
}

TEST_F(CounterTest, RemovedUpdate_TakesItsMaximumAway) {
  const SafetensorsFile highest = File(Counting({9, 9}));
  ASSERT_OK(mean_.Add(highest, 1));
  ASSERT_OK(mean_.Add(File(Counting({5, 6})), 1));
  ASSERT_OK(mean_.Add(File(Counting({6, 5})), 1));

  ASSERT_OK(mean_.Remove(highest, 1));

  EXPECT_THAT(Steps(), ElementsAre(6, 6));
}

TEST_F(CounterTest, RemovedOneOfTwoEqualUpdates_KeepsTheOther) {
  const SafetensorsFile update = File(Counting({9, 9}));
  ASSERT_OK(mean_.Add(update, 1));
  ASSERT_OK(mean_.Add(update, 1));
  ASSERT_OK(mean_.Add(File(Counting({1, 1})), 1));

  ASSERT_OK(mean_.Remove(update, 1));

  EXPECT_THAT(Steps(), ElementsAre(9, 9));
}

TEST_F(CounterTest, RejectedUpdate_NeverEnters) {
  ASSERT_OK(mean_.Add(File(Counting({1, 1})), 1));
  ASSERT_OK(mean_.Add(File(Counting({2, 2})), 1));
  EXPECT_FALSE(mean_.Add(File(Counting({50, 50}, NAN)), 1).ok());

  EXPECT_THAT(Steps(), ElementsAre(2, 2));
}

TEST_F(CounterTest, UpdateThatWasNotAdded_CannotBeRemoved) {
  ASSERT_OK(mean_.Add(File(Counting({1, 1})), 1));

  EXPECT_THAT(mean_.Remove(File(Counting({2, 2})), 1),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("was not added")));
  EXPECT_EQ(mean_.accepted_updates(), 1);
}

TEST(CounterMaximum, Bytes_AreUnsigned) {
  CounterMaximum maximum(DType::kU8);
  const std::vector<std::byte> low = {std::byte{1}}, high = {std::byte{200}};
  std::vector<std::byte> result(1);

  maximum.Add(low);
  maximum.Add(high);
  maximum.Write(result);

  EXPECT_EQ(result, high);
}

}  // namespace
}  // namespace meanfield::aggregate
