// Runs whose workers, results or disks fail.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/tensor/safetensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/driver/model_hashes.h"
#include "tests/support/driver/simulation.h"
#include "tests/support/status_matchers.h"

namespace meanfield::testing {
namespace {

using ::testing::HasSubstr;

TEST(RunFaults, WorkerLostInARound_SameHashes) {
  Simulation simulation;
  auto lost = simulation.AddWorker("w0");
  simulation.AddWorker("w1");
  const std::string run = simulation.Submit({});
  lost->before_unit = [&](const proto::Unit& unit) {
    if (unit.key().round() != 2) return absl::OkStatus();
    lost->Leave(absl::UnavailableError("killed"));
    return absl::CancelledError("dead");
  };
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  EXPECT_EQ(ModelHashes(details), HashesWith(1));
  ASSERT_EQ(details.workers_size(), 2);
  EXPECT_EQ(details.workers(0).ended(), "killed");
}

TEST(RunFaults, SilentWorker_LeaseLapsesAndAnotherTakesOver) {
  Simulation simulation;
  auto silent = simulation.AddWorker("w0");
  simulation.AddWorker("w1");
  silent->hold = true;
  const std::string run = simulation.Submit({});

  simulation.Advance(absl::Minutes(30));

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  EXPECT_EQ(ModelHashes(details), HashesWith(1));
}

// Overwrites the first value of the update's weight.
void Poison(const std::string& path, float value, proto::UnitResult&) {
  auto file = SafetensorsFile::Open(path);
  ASSERT_OK(file);
  std::vector<std::vector<float>> floats;
  std::vector<TensorView> tensors = file->tensors();
  std::string bytes(
      reinterpret_cast<const char*>(file->Find("weight")->bytes.data()),
      file->Find("weight")->bytes.size());
  std::memcpy(bytes.data(), &value, sizeof(value));
  for (TensorView& tensor : tensors) {
    if (tensor.spec.name == "weight") {
      tensor.bytes = std::as_bytes(std::span(bytes));
    }
  }
  const std::string copy = path + ".poisoned";
  ASSERT_OK(WriteSafetensors(copy, tensors));
  std::filesystem::rename(copy, path);
}

TEST(RunFaults, NanFromOneWorker_IsRejectedAndDoneAgainElsewhere) {
  Simulation simulation;
  auto bad = simulation.AddWorker("w0");
  simulation.AddWorker("w1");
  bad->tamper = [&](const proto::Unit& unit, const std::string& path,
                    proto::UnitResult& result) {
    if (unit.key().kind() != proto::TRAIN || unit.key().round() != 2) return;
    Poison(path, std::nanf(""), result);
  };
  const std::string run = simulation.Submit({});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  EXPECT_EQ(ModelHashes(details), HashesWith(1));
  ASSERT_GE(details.rejections_size(), 1);
  EXPECT_EQ(details.rejections(0).reason(), "nan");
  EXPECT_EQ(details.rejections(0).worker(), "w0");
  EXPECT_EQ(details.rejections(0).round(), 2);
}

TEST(RunFaults, NanAgainAndAgain_DivergedAndTheLastGoodModelStays) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  worker->tamper = [&](const proto::Unit& unit, const std::string& path,
                       proto::UnitResult& result) {
    if (unit.key().kind() != proto::TRAIN || unit.key().round() != 2) return;
    Poison(path, std::nanf(""), result);
  };
  const std::string run = simulation.Submit({});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::FAILED);
  EXPECT_THAT(details.run().reason(), HasSubstr("diverged"));
  ASSERT_EQ(details.rounds_size(), 1);
  EXPECT_EQ(details.run().best_model().id(), details.rounds(0).model().id());
  EXPECT_TRUE(simulation.coordinator().store().blobs().Contains(
      {.id = details.run().best_model().id(),
       .size = details.run().best_model().size()}));
}

TEST(RunFaults, UpdateOfAnotherShape_IsRejected) {
  Simulation simulation;
  auto bad = simulation.AddWorker("w0");
  simulation.AddWorker("w1");
  bad->tamper = [](const proto::Unit& unit, const std::string& path,
                   proto::UnitResult&) {
    if (unit.key().kind() != proto::TRAIN) return;
    const std::vector<float> values(3, 0);
    ASSERT_OK(
        WriteSafetensors(path, {{.spec = {.name = "weight", .shape = {3}},
                                 .bytes = std::as_bytes(std::span(values))}}));
  };
  const std::string run = simulation.Submit({.rounds = 1});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  ASSERT_GE(details.rejections_size(), 1);
  EXPECT_THAT(details.rejections(0).reason(),
              ::testing::AnyOf("missing", "shape", "extra"));
}

TEST(RunFaults, FewerStepsThanPlanned_IsRejected) {
  Simulation simulation;
  auto bad = simulation.AddWorker("w0");
  simulation.AddWorker("w1");
  bad->tamper = [](const proto::Unit& unit, const std::string&,
                   proto::UnitResult& result) {
    if (unit.key().kind() == proto::TRAIN) {
      result.mutable_statistics()->set_steps(1);
    }
  };
  const std::string run = simulation.Submit({.rounds = 1});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  ASSERT_GE(details.rejections_size(), 1);
  EXPECT_EQ(details.rejections(0).reason(), "steps");
}

TEST(RunFaults, FirstModelWithNan_IsRejected) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  worker->tamper = [](const proto::Unit& unit, const std::string& path,
                      proto::UnitResult& result) {
    if (unit.key().kind() == proto::INIT) Poison(path, INFINITY, result);
  };
  const std::string run = simulation.Submit({});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::FAILED);
  EXPECT_EQ(details.rejections(0).reason(), "nan");
  EXPECT_EQ(details.rounds_size(), 0);
}

TEST(RunFaults, ResultReportedTwice_CountsOnce) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  worker->before_unit = [&](const proto::Unit&) {
    if (worker->units_done > 0) worker->RepeatResult();
    return absl::OkStatus();
  };
  const std::string run = simulation.Submit({});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  EXPECT_EQ(ModelHashes(details), HashesWith(1));
  EXPECT_EQ(details.rounds(0).examples(), 120);
}

TEST(RunFaults, FailingWorker_LeavesItsUnitsToAnother) {
  Simulation simulation;
  auto bad = simulation.AddWorker("w0");
  simulation.AddWorker("w1");
  bad->before_unit = [](const proto::Unit&) {
    return absl::ResourceExhaustedError("out of memory on cuda:0");
  };
  const std::string run = simulation.Submit({});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  EXPECT_EQ(ModelHashes(details), HashesWith(1));
}

TEST(RunFaults, OnlyFailingWorkers_FailsWithTheirReason) {
  Simulation simulation;
  auto bad = simulation.AddWorker("w0");
  bad->before_unit = [](const proto::Unit&) {
    return absl::ResourceExhaustedError("out of memory on cuda:0");
  };
  const std::string run = simulation.Submit({});
  simulation.Advance(absl::Minutes(5));

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::FAILED);
  EXPECT_THAT(details.run().reason(), HasSubstr("out of memory on cuda:0"));
}

TEST(RunFaults, StoreThatFails_EndsTheRunWithItsReason) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  worker->tamper = [&](const proto::Unit& unit, const std::string&,
                       proto::UnitResult&) {
    // Nothing new can be stored: what a full or broken disk looks like.
    if (unit.key().round() != 2 || unit.key().shard() != 3) return;
    std::filesystem::rename(simulation.folder().File("state-0/objects"),
                            simulation.folder().File("state-0/gone"));
  };
  const std::string run = simulation.Submit({});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::FAILED);
  EXPECT_THAT(details.run().reason(), HasSubstr("objects"));
  EXPECT_EQ(details.rounds_size(), 1);
  EXPECT_TRUE(simulation.Events(run).back().has_ended());
}

}  // namespace
}  // namespace meanfield::testing
