#include "worker/runtime/worker.h"

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/runtime/worker_fixture.h"

namespace meanfield {
namespace {

using ::meanfield::testing::Gate;
using ::meanfield::testing::ReadFile;
using ::meanfield::testing::StatusIs;
using ::testing::_;
using ::testing::AllOf;
using ::testing::HasSubstr;

class WorkerTest : public testing::WorkerFixture {};

TEST_F(WorkerTest, TrainUnit_IsComputedAndSealed) {
  StartWorker();
  Lease(1, TrainUnit());

  const auto done = WaitForResult();

  EXPECT_EQ(done.lease, 1u);
  EXPECT_EQ(done.result.statistics().steps(), 3u);
  EXPECT_EQ(done.result.statistics().loss_sum(), 1.5);
  EXPECT_EQ(done.result.statistics().peak_memory_bytes(), 1u << 20);
  ASSERT_OK_AND_ASSIGN(
      const SafetensorsFile file,
      SafetensorsFile::Open(sessions_.SealedPath(done.result.output())));
  // seed 100, learning rate 0.5, two samples
  EXPECT_EQ(file.Find("weight")->As<float>()[0], 102.5f);
  EXPECT_EQ(file.Find("empty")->bytes.size(), 0u);
}

TEST_F(WorkerTest, InitUnit_ReturnsTheSpecsWithRoles) {
  StartWorker();
  Lease(1, InitUnit());

  const proto::UnitResult result = WaitForResult().result;

  ASSERT_EQ(result.tensors_size(), 4);
  EXPECT_EQ(result.tensors(1).name(), "scalar");
  EXPECT_EQ(result.tensors(1).shape_size(), 0);
  EXPECT_EQ(result.tensors(3).role(), proto::COUNTER);
}

TEST_F(WorkerTest, EvaluateUnit_ReturnsPredictions) {
  StartWorker();
  proto::Unit unit = TrainUnit();
  unit.mutable_key()->set_kind(proto::EVALUATE);
  unit.clear_train();
  Lease(1, unit);

  const proto::UnitResult result = WaitForResult().result;

  EXPECT_EQ(result.statistics().examples(), 2u);
  EXPECT_EQ(result.statistics().tokens(), 3u);
  EXPECT_TRUE(SafetensorsFile::Open(sessions_.SealedPath(result.output()))
                  ->Find("predictions"));
}

TEST_F(WorkerTest, GivenAndFrozenTensors_ReachTheTrainer) {
  StartWorker();
  proto::Unit init = InitUnit();
  *init.add_given() = TensorBlob("given");
  *init.add_frozen() = TensorBlob("not for INIT");
  Lease(1, init);
  WaitForResult(0);
  proto::Unit train = TrainUnit();
  *train.add_frozen() = TensorBlob("a");
  *train.add_frozen() = TensorBlob("b");
  Lease(2, train);
  WaitForResult(1);

  EXPECT_THAT(trainer_.given, ::testing::ElementsAre("given"));
  EXPECT_THAT(trainer_.frozen, ::testing::ElementsAre("a", "b"));
}

TEST_F(WorkerTest, FrozenBlobThatIsNoFileOfTensors_FailsTheUnit) {
  StartWorker();
  proto::Unit unit = TrainUnit();
  *unit.add_frozen() = sessions_.AddBlob("no tensors");
  Lease(1, unit);

  EXPECT_THAT(WaitForFailure().status,
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("train")));
}

TEST_F(WorkerTest, LargeModel_TravelsBothWaysInChunks) {
  trainer_.output_floats = 18 << 20;  // 72 MiB
  StartWorker();
  Lease(1, TrainUnit(0, /*model_floats=*/18 << 20));

  EXPECT_GT(WaitForResult().result.output().size(), 64u << 20);
}

TEST_F(WorkerTest, Blobs_AreFetchedOnce) {
  StartWorker();
  Lease(1, TrainUnit(0));
  WaitForResult(0);
  const size_t reads = sessions_.record().reads.size();

  Lease(2, TrainUnit(1));
  WaitForResult(1);

  EXPECT_EQ(reads, 4u);
  EXPECT_EQ(sessions_.record().reads.size(), reads);
}

TEST_F(WorkerTest, BlobsAboveTheCacheSize_AreFetchedAgain) {
  cache_bytes_ = 0;
  StartWorker();
  Lease(1, TrainUnit(0));
  WaitForResult(0);
  Lease(2, TrainUnit(1));
  WaitForResult(1);

  EXPECT_EQ(sessions_.record().reads.size(), 8u);
}

TEST_F(WorkerTest, Progress_ComesWhileAStepTakesItsTime) {
  Gate gate;
  trainer_.on_step = [&](uint64_t step, std::stop_token stop) {
    return step == 2 ? gate.Pass(stop) : absl::OkStatus();
  };
  StartWorker();
  Lease(1, TrainUnit());

  sessions_.Wait([](const auto& record) {
    return !record.progress.empty() && record.progress.back().steps_done == 2;
  });
  EXPECT_EQ(sessions_.record().progress.back().lease, 1u);
  EXPECT_EQ(sessions_.record().progress.back().tokens_done, 20u);
  gate.Open();
  WaitForResult();
}

TEST_F(WorkerTest, FailingUnit_IsReportedAndTheWorkerGoesOn) {
  trainer_.on_step = [](uint64_t, std::stop_token) {
    return absl::AbortedError("diverged at step 0 with learning rate 0.5");
  };
  StartWorker();
  Lease(1, TrainUnit(0));
  EXPECT_THAT(
      WaitForFailure().status,
      StatusIs(absl::StatusCode::kAborted, HasSubstr("diverged at step 0")));

  trainer_.on_step = [](uint64_t, std::stop_token) { return absl::OkStatus(); };
  Lease(2, TrainUnit(1));
  EXPECT_EQ(WaitForResult().lease, 2u);
}

TEST_F(WorkerTest, ErrorThatIsNoUtf8_StillArrives) {
  trainer_.on_step = [](uint64_t, std::stop_token) {
    return absl::InternalError("file \xff\xfe");
  };
  StartWorker();
  Lease(1, TrainUnit());

  EXPECT_THAT(WaitForFailure().status,
              StatusIs(absl::StatusCode::kInternal, HasSubstr("file ??")));
}

TEST_F(WorkerTest, BlobThatDoesNotFit_IsReportedWithTheUnit) {
  proto::Unit unit = TrainUnit();
  *unit.mutable_data() = sessions_.AddBlob("not a safetensors file");
  StartWorker();
  Lease(1, unit);

  EXPECT_THAT(
      WaitForFailure().status,
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("shard 0")));
}

TEST_F(WorkerTest, BlobWithOtherBytes_IsTriedThreeTimes) {
  proto::Unit unit = TrainUnit();
  sessions_.ReplaceBlob(unit.data().id(), std::string(unit.data().size(), 'x'));
  StartWorker();
  Lease(1, unit);

  EXPECT_THAT(WaitForFailure().status,
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("fetch blob")));
  EXPECT_EQ(sessions_.record().reads.size(), 5u);  // two configurations first
}

TEST_F(WorkerTest, BlobThatIsShorter_IsDataLoss) {
  proto::Unit unit = TrainUnit();
  sessions_.ReplaceBlob(unit.data().id(), "x");
  StartWorker();
  Lease(1, unit);

  EXPECT_EQ(WaitForFailure().status.code(), absl::StatusCode::kDataLoss);
}

TEST_F(WorkerTest, Cancel_StopsTheUnitAndIsAnswered) {
  Gate gate;
  trainer_.on_step = [&](uint64_t, std::stop_token stop) {
    return gate.Pass(stop);
  };
  StartWorker();
  Lease(1, TrainUnit(0));
  gate.WaitUntilReached();

  Link()->Cancel(1, "the round is over");

  EXPECT_EQ(WaitForFailure().lease, 1u);
  EXPECT_EQ(WaitForFailure().status, absl::CancelledError("the round is over"));
  EXPECT_TRUE(sessions_.record().results.empty());
}

TEST_F(WorkerTest, CancelOfAnUnknownLease_IsAnswered) {
  StartWorker();

  Link()->Cancel(77, "");

  EXPECT_EQ(WaitForFailure().lease, 77u);
  EXPECT_EQ(WaitForFailure().status.code(), absl::StatusCode::kCancelled);
}

TEST_F(WorkerTest, LeaseOfTheSameUnit_IsAnsweredUnderTheNewNumber) {
  Gate gate;
  trainer_.on_step = [&](uint64_t, std::stop_token stop) {
    return gate.Pass(stop);
  };
  StartWorker();
  Lease(1, TrainUnit());
  gate.WaitUntilReached();

  Lease(2, TrainUnit());
  sessions_.Wait([](const auto& record) {
    return !record.progress.empty() && record.progress.back().lease == 2;
  });
  gate.Open();

  EXPECT_EQ(WaitForResult().lease, 2u);
  EXPECT_EQ(trainer_.units, 1);
}

TEST_F(WorkerTest, LeaseOfAnotherUnit_ReplacesTheOne) {
  Gate gate;
  trainer_.on_step = [&](uint64_t, std::stop_token stop) {
    return gate.Pass(stop);
  };
  StartWorker();
  Lease(1, TrainUnit(0));
  gate.WaitUntilReached();

  Lease(2, TrainUnit(1));
  gate.WaitUntilReached(2);
  gate.Open();

  EXPECT_EQ(WaitForResult().lease, 2u);
  EXPECT_TRUE(sessions_.record().failures.empty());
}

TEST_F(WorkerTest, FinishedUnitThatComesAgain_IsNotComputedAgain) {
  StartWorker();
  Lease(1, TrainUnit());
  const proto::UnitResult first = WaitForResult(0).result;

  Lease(2, TrainUnit());
  const auto second = WaitForResult(1);

  EXPECT_EQ(second.lease, 2u);
  EXPECT_EQ(second.result.output().id(), first.output().id());
  EXPECT_EQ(trainer_.units, 1);
}

TEST_F(WorkerTest, ResultOfALeaseThatIsOver_IsAFailure) {
  Gate gate;
  trainer_.on_step = [&](uint64_t, std::stop_token stop) {
    return gate.Pass(stop);
  };
  StartWorker();
  Lease(1, TrainUnit());
  gate.WaitUntilReached();

  sessions_.DropLease(1);
  gate.Open();

  EXPECT_EQ(WaitForFailure().status.code(), absl::StatusCode::kNotFound);
}

TEST_F(WorkerTest, Dismissed_EndsWell) {
  StartWorker();

  Link()->Dismiss("the run has ended");

  EXPECT_OK(JoinWorker());
  sessions_.Wait([](const auto& record) { return record.left.size() == 1; });
  EXPECT_OK(sessions_.record().left.at(0).why);
}

TEST_F(WorkerTest, DismissedWhileTraining_StopsTheUnit) {
  Gate gate;
  trainer_.on_step = [&](uint64_t, std::stop_token stop) {
    return gate.Pass(stop);
  };
  StartWorker();
  Lease(1, TrainUnit());
  gate.WaitUntilReached();

  server_->DismissWorkers("the run has ended");

  EXPECT_OK(JoinWorker());
}

TEST_F(WorkerTest, Stopped_EndsAsCancelledAndLeavesNothing) {
  Gate gate;
  trainer_.on_step = [&](uint64_t, std::stop_token stop) {
    return gate.Pass(stop);
  };
  StartWorker();
  Lease(1, TrainUnit());
  gate.WaitUntilReached();
  EXPECT_FALSE(std::filesystem::is_empty(folder_.File("work")));

  EXPECT_THAT(StopWorker(), StatusIs(absl::StatusCode::kCancelled, _));

  EXPECT_TRUE(std::filesystem::is_empty(folder_.File("work")));
}

TEST_F(WorkerTest, StoppedBeforeItStarts_EndsAtOnce) {
  stop_.request_stop();
  StartWorker();

  EXPECT_THAT(JoinWorker(), StatusIs(absl::StatusCode::kCancelled, _));
}

TEST_F(WorkerTest, RefusedWorker_EndsWithTheCoordinatorsWords) {
  sessions_.RefuseJoins(absl::FailedPreconditionError("a newer one lives"));
  StartWorker();

  EXPECT_THAT(JoinWorker(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                     AllOf(HasSubstr(address_),
                                           HasSubstr("a newer one lives"))));
}

TEST_F(WorkerTest, WorkFolderThatCannotBeMade_IsAnErrorThatNamesIt) {
  WorkerOptions options;
  options.coordinator = address_;
  options.work_folder = folder_.Write("file", "") + "/below";

  const absl::Status ended = RunWorker(options, trainer_, {});

  EXPECT_THAT(ended.message(), HasSubstr(options.work_folder));
}

}  // namespace
}  // namespace meanfield
