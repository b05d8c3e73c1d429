// Models of several tensors: what steps and what is copied.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "coordinator/optimize/server_step.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::optimize {
namespace {

using ::meanfield::testing::ReadFile;
using ::meanfield::testing::TemporaryFolder;

class ServerStepRolesTest : public ::testing::Test {
 protected:
  SafetensorsFile Model(const std::string& name, float w, float buffer,
                        int64_t steps) {
    const std::string path = folder_.File(name);
    auto writer =
        SafetensorsWriter::Create(path, {specs_.begin(), specs_.begin() + 3});
    MEANFIELD_CHECK(writer.ok(), path);
    writer->MutableAs<float>("w")[0] = w;
    writer->MutableAs<float>("w")[1] = -0.0f;
    writer->MutableAs<float>("buffer")[0] = buffer;
    writer->MutableAs<int64_t>("steps")[0] = steps;
    MEANFIELD_CHECK(writer->Finish().ok(), path);
    return *SafetensorsFile::Open(path);
  }
  SafetensorsFile Take(const proto::ServerOptimizer& optimizer) {
    const ServerStep step = {.base = &base_,
                             .mean = &mean_,
                             .specs = specs_,
                             .model_path = folder_.File("next"),
                             .state_path = folder_.File("state")};
    EXPECT_OK(TakeServerStep(optimizer, step));
    return *SafetensorsFile::Open(step.model_path);
  }

  TemporaryFolder folder_;
  std::vector<TensorSpec> specs_ = {
      {"w", DType::kF32, {2}, TensorRole::kTrainable},
      {"buffer", DType::kF32, {1}, TensorRole::kBuffer},
      {"steps", DType::kI64, {}, TensorRole::kCounter},
      {"words", DType::kF32, {9}, TensorRole::kFrozen}};
  SafetensorsFile base_ = Model("base", 1, 10, 100);
  SafetensorsFile mean_ = Model("mean", 2, 20, 200);
};

TEST_F(ServerStepRolesTest, AvgOfRateOne_CopiesTheMeanByteForByte) {
  Take(proto::ServerOptimizer());

  EXPECT_EQ(ReadFile(folder_.File("next")), ReadFile(folder_.File("mean")));
}

TEST_F(ServerStepRolesTest, OnlyTrainableTensors_Step) {
  proto::ServerOptimizer optimizer;
  optimizer.mutable_avg()->set_learning_rate(0.25);

  const SafetensorsFile next = Take(optimizer);

  EXPECT_EQ(next.Find("w")->As<float>()[0], 1.25f);
  EXPECT_EQ(next.Find("buffer")->As<float>()[0], 20);
  EXPECT_EQ(next.Find("steps")->As<int64_t>()[0], 200);
  EXPECT_EQ(next.tensors().size(), 3u);
}

TEST_F(ServerStepRolesTest, EqualMean_KeepsNegativeZero) {
  proto::ServerOptimizer optimizer;
  optimizer.mutable_nesterov();

  const SafetensorsFile next = Take(optimizer);

  EXPECT_TRUE(std::signbit(next.Find("w")->As<float>()[1]));
}

TEST_F(ServerStepRolesTest, State_IsOneF64TensorPerTrainableOne) {
  proto::ServerOptimizer optimizer;
  optimizer.mutable_momentum();

  Take(optimizer);

  const auto state = SafetensorsFile::Open(folder_.File("state"));
  ASSERT_OK(state);
  ASSERT_EQ(state->tensors().size(), 1u);
  ASSERT_OK(state->Get("w", DType::kF64, 1));
  EXPECT_EQ(state->Find("w")->As<double>()[0], -1);
}

}  // namespace
}  // namespace meanfield::optimize
