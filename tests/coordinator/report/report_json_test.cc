#include <cmath>

#include "coordinator/report/report.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/coordinator/report/sample_run.h"

namespace meanfield::report {
namespace {

using nlohmann::json;
using testing::SampleRun;

TEST(ReportJson, Run_HasTheFieldsThatChecksRelyOn) {
  const json report = json::parse(ReportJson(SampleRun()));

  EXPECT_EQ(report["run"], "toy-20261130-143611-a1b2");
  EXPECT_EQ(report["state"], "DONE");
  EXPECT_EQ(report["numerics_class"], "cpu avx2");
  EXPECT_EQ(report["rounds"].size(), 3);
  EXPECT_EQ(report["rounds"][1]["model_hash"], "xxh3-model2");
  EXPECT_EQ(report["rounds"][1]["wall_s"], 2.5);
  EXPECT_EQ(report["rounds"][1]["dev"]["accuracy"], 0.75);
  EXPECT_EQ(report["best"]["round"], 2);
  EXPECT_EQ(report["best"]["score"], 0.75);
  EXPECT_EQ(report["best"]["metric"], "accuracy");
  EXPECT_EQ(report["final"]["model_hash"], "xxh3-model3");
  EXPECT_EQ(report["final"]["test"]["accuracy"], 0.7561);
  EXPECT_EQ(report["final"]["test"]["macro_f1"], 0.6123);
  EXPECT_EQ(report["workers"][1]["id"], "host:cpu:1");
  EXPECT_EQ(report["workers"][1]["peak_memory"], 412'000'000);
  EXPECT_TRUE(report["rejections"].empty());
}

TEST(ReportJson, NumbersThatAreNotFinite_AreNull) {
  proto::RunDetails run = SampleRun();
  run.mutable_rounds(0)->set_train_loss(NAN);
  run.mutable_verdicts(0)->mutable_dev()->set_loss(INFINITY);

  const json report = json::parse(ReportJson(run));

  EXPECT_TRUE(report["rounds"][0]["train_loss"].is_null());
  EXPECT_TRUE(report["rounds"][0]["dev"]["loss"].is_null());
}

TEST(ReportJson, RoundWithoutEvaluation_HasNullForDev) {
  proto::RunDetails run = SampleRun();
  run.mutable_verdicts()->DeleteSubrange(0, 1);
  const json report = json::parse(ReportJson(run));
  EXPECT_TRUE(report["rounds"][0]["dev"].is_null());
  EXPECT_FALSE(report["rounds"][1]["dev"].is_null());
}

TEST(ReportJson, RunThatNeverTrained_IsStillValid) {
  proto::RunDetails run;
  run.mutable_run()->set_id("x");
  run.mutable_run()->set_state(proto::STARVED);
  run.mutable_run()->set_reason("no worker for 1m");

  const json report = json::parse(ReportJson(run));

  EXPECT_EQ(report["reason"], "no worker for 1m");
  EXPECT_TRUE(report["best"].is_null());
  EXPECT_TRUE(report["final"]["model_hash"].is_null());
  EXPECT_TRUE(report["final"]["test"].is_null());
}

TEST(ReportJson, Warnings_AreAllThere) {
  proto::RunDetails run = testing::SampleRun();
  run.mutable_run()->add_warnings("train.txt:2: odd");
  EXPECT_EQ(nlohmann::json::parse(ReportJson(run))["warnings"],
            nlohmann::json({"train.txt:2: odd"}));
}

TEST(ReportJson, LabelThatIsNotUtf8_IsReplaced) {
  proto::RunDetails run = SampleRun();
  run.mutable_rejections()->Add()->set_detail("bad \xff byte");
  EXPECT_EQ(json::parse(ReportJson(run))["rejections"][0]["detail"],
            "bad \xef\xbf\xbd byte");
}

}  // namespace
}  // namespace meanfield::report
