// One mean for every order and grouping.
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "coordinator/aggregate/exact_mean.h"
#include "gtest/gtest.h"
#include "tests/coordinator/aggregate/model_files.h"
#include "tests/support/status_matchers.h"

namespace meanfield::aggregate {
namespace {

using ::meanfield::testing::ReadFile;
using ::meanfield::testing::TemporaryFolder;

constexpr int kUpdates = 7;
constexpr int kOrders = 1000;

// Magnitudes from 1e-12 to 1e2, so that sums of doubles would disagree.
Model RandomModel(uint64_t seed) {
  CounterRng random(seed);
  std::vector<float> matrix(600);
  std::vector<double> vector(50);
  for (float& value : matrix) {
    value = std::ldexp(static_cast<float>(random() >> 40) - 0x1p23f,
                       -static_cast<int>(random.Below(46)) - 16);
  }
  for (double& value : vector) value = static_cast<double>(random()) * 0x1p-62;
  return Model()
      .With("matrix", {20, 30}, matrix)
      .With("vector", vector)
      .With<int64_t>("steps", {static_cast<int64_t>(random.Below(5))},
                     TensorRole::kCounter);
}

class OrderTest : public ::testing::Test {
 protected:
  OrderTest() {
    for (int k = 0; k < kUpdates; ++k) {
      updates_.push_back(
          RandomModel(k + 1).WriteTo(folder_.File(std::to_string(k))));
      weights_.push_back(1000 + 317 * k);
      total_ += weights_.back();
    }
  }

  ExactMean Create() {
    return *ExactMean::Create(base_, model_.specs(), total_);
  }
  std::string Mean(const ExactMean& mean) {
    EXPECT_OK(mean.Finish(folder_.File("mean"), nullptr));
    return ReadFile(folder_.File("mean"));
  }
  // Adds all in a random order; on the way others are added and removed.
  void AddInRandomOrder(CounterRng& random, ExactMean& mean) {
    std::vector<int> order;
    for (int k = 0; k < kUpdates; ++k) order.push_back(k);
    Shuffle(std::span(order), random);
    for (int i = 0; i < kUpdates; ++i) {
      ASSERT_OK(mean.Add(updates_[order[i]], weights_[order[i]]));
      const int out = order[random.Below(i + 1)];
      if (random.Below(3) > 0) continue;
      ASSERT_OK(mean.Remove(updates_[out], weights_[out]));
      ASSERT_OK(mean.Add(updates_[out], weights_[out]));
    }
  }

  TemporaryFolder folder_;
  Model model_ = RandomModel(0);
  SafetensorsFile base_ = model_.WriteTo(folder_.File("base"));
  std::vector<SafetensorsFile> updates_;
  std::vector<uint64_t> weights_;
  uint64_t total_ = 0;
};

TEST_F(OrderTest, ThousandOrdersAndGroupings_GiveOneMean) {
  CounterRng random(5);
  std::set<std::string> means;
  for (int i = 0; i < kOrders; ++i) {
    ExactMean mean = Create();
    AddInRandomOrder(random, mean);
    means.insert(Mean(mean));
  }

  EXPECT_EQ(means.size(), 1u);
}

TEST_F(OrderTest, UpdatesThatCameAndWent_LeaveNoTrace) {
  ExactMean direct = Create();
  for (const int k : {4, 2}) {
    ASSERT_OK(direct.Add(updates_[k], weights_[k]));
  }
  ExactMean detour = Create();
  for (int k = 0; k < kUpdates; ++k) {
    ASSERT_OK(detour.Add(updates_[k], weights_[k]));
  }
  for (const int k : {0, 6, 3, 1, 5}) {
    ASSERT_OK(detour.Remove(updates_[k], weights_[k]));
  }

  EXPECT_EQ(Mean(detour), Mean(direct));
}

TEST_F(OrderTest, Norm_DoesNotDependOnWhatIsIn) {
  ExactMean first = Create(), last = Create();
  ASSERT_OK(first.Add(updates_[0], weights_[0]));
  for (int k = kUpdates - 1; k >= 0; --k) {
    ASSERT_OK(last.Add(updates_[k], weights_[k]));
  }

  EXPECT_EQ(first.last_update_norm(), last.last_update_norm());
  EXPECT_GT(first.last_update_norm(), 0);
}

}  // namespace
}  // namespace meanfield::aggregate
