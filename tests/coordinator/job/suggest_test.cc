#include "coordinator/job/suggest.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace meanfield::job {
namespace {

const std::vector<std::string> kNames = {"batch_size", "learning_rate",
                                         "momentum", "max_epochs", "sgd"};

TEST(Nearest, FindsMisspellings) {
  EXPECT_EQ(Nearest("bach_size", kNames), "batch_size");
  EXPECT_EQ(Nearest("bacth_size", kNames), "batch_size");
  EXPECT_EQ(Nearest("sdg", kNames), "sgd");
}

TEST(Nearest, LooksThroughOtherSpellings) {
  EXPECT_EQ(Nearest("learningRate", kNames), "learning_rate");
  EXPECT_EQ(Nearest("learning-rate", kNames), "learning_rate");
  EXPECT_EQ(Nearest("MOMENTUM", kNames), "momentum");
  EXPECT_EQ(Nearest("mini_batch_size", kNames), "batch_size");
}

TEST(Nearest, FindsPartsOfNames) {
  EXPECT_EQ(Nearest("epochs", kNames), "max_epochs");
  EXPECT_EQ(Nearest("momen", kNames), "momentum");
}

TEST(Nearest, IsEmptyWhereNoneIsNear) {
  EXPECT_EQ(Nearest("colour", kNames), "");
  EXPECT_EQ(Nearest("", kNames), "");
  EXPECT_EQ(Nearest(std::string(100000, 'a'), kNames), "");
}

TEST(DidYouMean, ListsWhatIsAllowed) {
  EXPECT_EQ(DidYouMean("sdg", {"sgd", "adam"}),
            "; did you mean \"sgd\"? Allowed: sgd, adam");
  EXPECT_EQ(DidYouMean("colour", {"sgd", "adam"}), "; allowed: sgd, adam");
}

}  // namespace
}  // namespace meanfield::job
