#include "coordinator/service/run_summaries.h"

#include <string>

#include "common/rpc/channel.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace meanfield::service {
namespace {

using ::meanfield::testing::StatusIs;

// A run of so many rounds, each with a class table of so many bytes.
proto::RunDetails LongRun(int rounds, size_t bytes, int best) {
  proto::RunDetails details;
  for (int round = 1; round <= rounds; ++round) {
    proto::Verdict& verdict = *details.add_verdicts();
    verdict.set_round(static_cast<uint32_t>(round));
    verdict.set_is_best(round == best);
    verdict.mutable_dev()->add_classes()->set_label(std::string(bytes, 'x'));
  }
  return details;
}

TEST(FitIntoMessage, ShortRun_StaysAsItIs) {
  proto::RunDetails details = LongRun(3, 100, 2);
  const std::string before = details.SerializeAsString();

  ASSERT_OK(FitIntoMessage(details));

  EXPECT_EQ(details.SerializeAsString(), before);
}

TEST(FitIntoMessage, LongRun_KeepsTablesOfBestAndLastRound) {
  proto::RunDetails details = LongRun(100, 100 << 10, 40);

  ASSERT_OK(FitIntoMessage(details));

  EXPECT_LT(details.ByteSizeLong(), size_t{rpc::kMaxMessageBytes});
  for (const proto::Verdict& verdict : details.verdicts()) {
    EXPECT_EQ(verdict.dev().classes_size(),
              verdict.round() == 40 || verdict.round() == 100 ? 1 : 0);
  }
}

TEST(FitIntoMessage, TooLongAnyway_SaysWhereToLook) {
  proto::RunDetails details = LongRun(2, 3 << 20, 1);

  EXPECT_THAT(FitIntoMessage(details),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       ::testing::HasSubstr("report.json")));
}

}  // namespace
}  // namespace meanfield::service
