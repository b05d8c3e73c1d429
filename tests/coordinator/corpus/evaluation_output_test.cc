#include "coordinator/corpus/evaluation_output.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PredictedLabels, OfSeveral_TheUnknownOneIsNotThere) {
  const std::vector<int32_t> ids = {0, 2, 1, 0};
  const std::vector<int64_t> offsets = {0, 2, 3, 4};
  const PredictedLabels labels{.ids = ids, .offsets = offsets};

  EXPECT_THAT(labels.Of(0), ElementsAre(2));
  EXPECT_THAT(labels.Of(1), ElementsAre(1));
  EXPECT_THAT(labels.Of(2), IsEmpty());
}

TEST(PredictedLabels, OfOne_IsWhatWasPredicted) {
  const std::vector<int32_t> ids = {0, 2};
  const PredictedLabels labels{.ids = ids};

  EXPECT_THAT(labels.Of(0), ElementsAre(0));
}

}  // namespace
}  // namespace meanfield::corpus
