#include "coordinator/store/run_store.h"

#include <filesystem>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/store/run_store_fixture.h"

namespace meanfield::store {
namespace {

using meanfield::testing::StatusIs;
using ::testing::_;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(RunStoreTest, Run_SurvivesAReopen) {
  proto::RunRecord run = MakeRun("ner-1", 5);
  run.set_reason("it's \"done\"; --");
  ASSERT_OK(store_->PutRun(run));
  Reopen();

  ASSERT_OK_AND_ASSIGN(const proto::RunRecord read, store_->GetRun("ner-1"));
  EXPECT_EQ(read.SerializeAsString(), run.SerializeAsString());
}

TEST_F(RunStoreTest, Run_IsReplacedAndKeepsItsRounds) {
  ASSERT_OK(store_->PutRun(MakeRun("a")));
  ASSERT_OK(store_->CommitPlan("a", MakePlan(1)));
  proto::RunRecord changed = MakeRun("a");
  changed.set_state(proto::DONE);
  ASSERT_OK(store_->PutRun(changed));

  EXPECT_EQ(store_->GetRun("a")->state(), proto::DONE);
  EXPECT_TRUE(store_->GetPlan("a", 1)->has_value());
}

TEST_F(RunStoreTest, Runs_NewestFirst) {
  ASSERT_OK(store_->PutRun(MakeRun("old", 1)));
  ASSERT_OK(store_->PutRun(MakeRun("new", 3)));
  ASSERT_OK(store_->PutRun(MakeRun("also-new", 3)));

  ASSERT_OK_AND_ASSIGN(const auto runs, store_->ListRuns());
  ASSERT_THAT(runs, SizeIs(3));
  EXPECT_EQ(runs[0].id(), "also-new");
  EXPECT_EQ(runs[2].id(), "old");
}

TEST_F(RunStoreTest, UnknownRun_IsNamed) {
  const auto missing =
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("no run \"x\""));
  EXPECT_THAT(store_->GetRun("x"), missing);
  EXPECT_THAT(store_->Load("x"), missing);
  EXPECT_THAT(store_->GetPlan("x", 1), missing);
  EXPECT_THAT(store_->CommitPlan("x", MakePlan(1)), missing);
  EXPECT_THAT(store_->PutTest("x", {}), missing);
  EXPECT_THAT(store_->PutWorker("x", {}), missing);
  EXPECT_THAT(store_->AddRejection("x", {}), missing);
}

TEST_F(RunStoreTest, RunFolder_IsBelowTheStateDirectory) {
  ASSERT_OK_AND_ASSIGN(const std::string path, store_->RunFolder("ner-1"));

  EXPECT_EQ(path, state_dir() + "/runs/ner-1");
  EXPECT_TRUE(std::filesystem::is_directory(path));
}

TEST_F(RunStoreTest, RunFolder_TakesNoPath) {
  for (const std::string name :
       {"", ".", "..", "../x", "a/b", ".hidden", "a b", "ä"}) {
    EXPECT_THAT(store_->RunFolder(name),
                StatusIs(absl::StatusCode::kInvalidArgument, _))
        << name;
  }
  EXPECT_THAT(store_->PutRun(MakeRun("../x")),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST_F(RunStoreTest, OrderOfTruth_IsEnforced) {
  const auto too_early = [](const std::string& needed) {
    return StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(needed));
  };
  ASSERT_OK(store_->PutRun(MakeRun("a")));
  const proto::RoundRecord model = MakeRound(*store_, 1, "m1");

  EXPECT_THAT(store_->CommitModel("a", model), too_early("before its plan"));
  ASSERT_OK(store_->CommitPlan("a", MakePlan(1)));
  EXPECT_THAT(store_->CommitVerdict("a", MakeVerdict(1)),
              too_early("before its model"));
  EXPECT_THAT(store_->CommitPlan("a", MakePlan(2)),
              too_early("before the model of the round before"));
  ASSERT_OK(store_->CommitModel("a", model));
  ASSERT_OK(store_->CommitVerdict("a", MakeVerdict(1)));
  ASSERT_OK(store_->CommitPlan("a", MakePlan(2)));
}

TEST_F(RunStoreTest, Plan_CannotBeChanged) {
  ASSERT_OK(store_->PutRun(MakeRun("a")));
  ASSERT_OK(store_->CommitPlan("a", MakePlan(1)));

  EXPECT_OK(store_->CommitPlan("a", MakePlan(1)));
  EXPECT_THAT(store_->CommitPlan("a", MakePlan(1, /*steps=*/11)),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       HasSubstr("plan of round 1 of run a")));
  EXPECT_THAT(store_->CommitPlan("a", MakePlan(0)),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST_F(RunStoreTest, Model_CannotBeChanged_ButItsTimes) {
  ASSERT_OK(store_->PutRun(MakeRun("a")));
  ASSERT_OK(store_->CommitPlan("a", MakePlan(1)));
  proto::RoundRecord record = MakeRound(*store_, 1, "m1");
  ASSERT_OK(store_->CommitModel("a", record));
  ASSERT_OK(store_->CommitVerdict("a", MakeVerdict(1)));

  record.set_wall_s(7);
  EXPECT_OK(store_->CommitModel("a", record));
  EXPECT_EQ(store_->Load("a")->rounds(0).wall_s(), 7);
  EXPECT_THAT(store_->CommitModel("a", MakeRound(*store_, 1, "other")),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("is not")));
}

TEST_F(RunStoreTest, Model_NeedsItsBlob) {
  ASSERT_OK(store_->PutRun(MakeRun("a")));
  ASSERT_OK(store_->CommitPlan("a", MakePlan(1)));
  proto::RoundRecord record = MakeRound(*store_, 1, "m1");
  record.mutable_model()->set_size(99);

  EXPECT_THAT(store_->CommitModel("a", record),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("its blob xxh3-")));
}

TEST_F(RunStoreTest, Model_OfAnotherPlan_IsRefused) {
  ASSERT_OK(store_->PutRun(MakeRun("a")));
  ASSERT_OK(store_->CommitPlan("a", MakePlan(1, /*steps=*/11)));

  EXPECT_THAT(store_->CommitModel("a", MakeRound(*store_, 1, "m1")),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("another plan")));
}

TEST_F(RunStoreTest, Verdict_CannotBeChanged_ButItsTime) {
  ASSERT_OK(store_->PutRun(MakeRun("a")));
  ASSERT_OK(store_->CommitPlan("a", MakePlan(1)));
  ASSERT_OK(store_->CommitModel("a", MakeRound(*store_, 1, "m1")));
  proto::Verdict verdict = MakeVerdict(1, 0.5);
  ASSERT_OK(store_->CommitVerdict("a", verdict));

  verdict.set_evaluate_s(3);
  EXPECT_OK(store_->CommitVerdict("a", verdict));
  EXPECT_THAT(store_->CommitVerdict("a", MakeVerdict(1, 0.6)),
              StatusIs(absl::StatusCode::kAlreadyExists, _));
}

TEST_F(RunStoreTest, Load_HasEverythingInOrder) {
  ASSERT_OK(store_->PutRun(MakeRun("a")));
  ASSERT_OK(store_->PutRun(MakeRun("b")));
  for (uint32_t round = 1; round <= 11; ++round) {
    ASSERT_OK(store_->CommitPlan("a", MakePlan(round)));
    ASSERT_OK(store_->CommitModel(
        "a", MakeRound(*store_, round, absl::StrCat("m", round))));
    ASSERT_OK(store_->CommitVerdict("a", MakeVerdict(round)));
    proto::Rejection rejection;
    rejection.set_round(round);
    ASSERT_OK(store_->AddRejection("a", rejection));
  }
  Reopen();

  ASSERT_OK_AND_ASSIGN(const proto::RunDetails details, store_->Load("a"));
  ASSERT_THAT(details.rounds(), SizeIs(11));
  EXPECT_EQ(details.rounds(10).plan().round(), 11u);
  EXPECT_EQ(details.verdicts(10).round(), 11u);
  EXPECT_EQ(details.rejections(10).round(), 11u);
  EXPECT_THAT(store_->Load("b")->rounds(), SizeIs(0));
}

TEST_F(RunStoreTest, TestsAndWorkers_AreReplacedByTheirNames) {
  ASSERT_OK(store_->PutRun(MakeRun("a")));
  proto::EvaluationRecord test;
  test.set_split("test");
  test.set_model("best (round 7)");
  proto::WorkerRecord worker;
  worker.set_id("w");
  for (int i = 1; i <= 2; ++i) {
    test.set_loss(i);
    ASSERT_OK(store_->PutTest("a", test));
    worker.set_units(static_cast<uint64_t>(i));
    ASSERT_OK(store_->PutWorker("a", worker));
  }

  const auto details = store_->Load("a");
  ASSERT_THAT(details->tests(), SizeIs(1));
  EXPECT_EQ(details->tests(0).loss(), 2);
  ASSERT_THAT(details->workers(), SizeIs(1));
  EXPECT_EQ(details->workers(0).units(), 2u);
}

TEST_F(RunStoreTest, ServesSeveralThreads) {
  ASSERT_OK(store_->PutRun(MakeRun("a")));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 10; ++i) {
        proto::WorkerRecord worker;
        worker.set_id(absl::StrCat(t, "-", i));
        EXPECT_OK(store_->PutWorker("a", worker));
        EXPECT_OK(store_->Load("a"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_THAT(store_->Load("a")->workers(), SizeIs(40));
}

}  // namespace
}  // namespace meanfield::store
