// The shipped jobs on real corpora, each with a floor of quality.
#include <string>

#include "gmock/gmock.h"
#include "tests/integration/training_fixture.h"

namespace meanfield::testing {
namespace {

class CorporaTest : public TrainingTest {
 protected:
  // Trains deploy/examples/<job>.textproto on a folder of the shared corpora.
  nlohmann::json Train(const std::string& job, const std::string& corpus,
                       const std::vector<std::string>& more = {}) {
    std::vector<std::string> options = {"--corpus-root",
                                        SharedFolder() + "/corpora/" + corpus};
    options.insert(options.end(), more.begin(), more.end());
    const ProcessResult result =
        RunProcess(TrainCommand(std::string(MEANFIELD_SOURCE_DIR) +
                                    "/deploy/examples/" + job + ".textproto",
                                job, /*workers=*/2, options));
    EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
    return result.exit_code == 0 ? Report(job) : nlohmann::json::object();
  }

  void SetUp() override {
    if (SharedFolder().empty()) {
      GTEST_SKIP() << "no corpora beside the project (MEANFIELD_SHARED)";
    }
  }
};

TEST_F(CorporaTest, AtisTags_AreLearnedInTenRounds) {
  const nlohmann::json report = Train("upos", "pos/ud_English-Atis");

  ASSERT_TRUE(report.contains("final"));
  EXPECT_EQ(report["rounds"].size(), 10u);
  EXPECT_GE(report["final"]["test"]["accuracy"].get<double>(), 0.95);
}

TEST_F(CorporaTest, SpamMessages_AreTold) {
  const nlohmann::json report = Train("spam", "cls/sms_spam");

  ASSERT_TRUE(report.contains("final"));
  EXPECT_GE(report["final"]["test"]["accuracy"].get<double>(), 0.95);
}

TEST_F(CorporaTest, EntitySpans_AreScoredAsSpansAndTheLossFalls) {
  const nlohmann::json report =
      Train("wnut17", "ner/wnut17", {"--set", "stop.max_rounds=3"});

  ASSERT_TRUE(report.contains("final"));
  EXPECT_TRUE(report["final"]["test"].contains("micro_f1"));
  EXPECT_LT(report["rounds"][2]["train_loss"].get<double>(),
            report["rounds"][0]["train_loss"].get<double>());
}

}  // namespace
}  // namespace meanfield::testing
