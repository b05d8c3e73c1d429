#include "coordinator/driver/idle_share.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield::driver {
namespace {

using ::testing::HasSubstr;

TEST(IdleShare, MultipleOfTheWorkers_IsNotWorthANote) {
  EXPECT_EQ(IdleShareNote(4, 2), "");
  EXPECT_EQ(IdleShareNote(4, 4), "");
  EXPECT_EQ(IdleShareNote(4, 0), "");
}

TEST(IdleShare, OneTooMany_NamesTheShareAndBetterNumbers) {
  const std::string note = IdleShareNote(5, 4);
  EXPECT_THAT(note, HasSubstr("5 shards on 4 workers: 38 %"));
  EXPECT_THAT(note, HasSubstr("4 or 8"));
}

TEST(IdleShare, FewerShardsThanWorkers_NamesTheOneThatUsesAll) {
  const std::string note = IdleShareNote(2, 8);
  EXPECT_THAT(note, HasSubstr("75 %"));
  EXPECT_THAT(note, HasSubstr("shards: 8 "));
}

}  // namespace
}  // namespace meanfield::driver
