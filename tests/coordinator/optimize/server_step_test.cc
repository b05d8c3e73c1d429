#include "coordinator/optimize/server_step.h"

#include <optional>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::optimize {
namespace {

using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::StartsWith;

proto::ServerOptimizer Avg(double learning_rate) {
  proto::ServerOptimizer optimizer;
  optimizer.mutable_avg()->set_learning_rate(learning_rate);
  return optimizer;
}
proto::ServerOptimizer Momentum(double learning_rate, double momentum) {
  proto::ServerOptimizer optimizer;
  optimizer.mutable_momentum()->set_learning_rate(learning_rate);
  optimizer.mutable_momentum()->set_momentum(momentum);
  return optimizer;
}
proto::ServerOptimizer Nesterov(double learning_rate, double momentum) {
  proto::ServerOptimizer optimizer;
  optimizer.mutable_nesterov()->set_learning_rate(learning_rate);
  optimizer.mutable_nesterov()->set_momentum(momentum);
  return optimizer;
}

// A scalar model that steps round after round, its state carried in files.
class ServerStepTest : public ::testing::Test {
 protected:
  SafetensorsFile Scalar(double value) {
    const std::string path = NewPath();
    auto writer = SafetensorsWriter::Create(path, specs_);
    MEANFIELD_CHECK(writer.ok(), path);
    writer->MutableAs<double>("w")[0] = value;
    MEANFIELD_CHECK(writer->Finish().ok(), path);
    return *SafetensorsFile::Open(path);
  }
  std::string NewPath() { return folder_.File(std::to_string(++files_)); }

  // The model after each round whose updates differ from it by `deltas`.
  std::vector<double> Course(const proto::ServerOptimizer& optimizer, double x,
                             const std::vector<double>& deltas) {
    std::vector<double> course;
    std::optional<SafetensorsFile> state;
    for (const double delta : deltas) {
      const SafetensorsFile base = Scalar(x), mean = Scalar(x + delta);
      const ServerStep step = {.base = &base,
                               .mean = &mean,
                               .state = state ? &*state : nullptr,
                               .specs = specs_,
                               .model_path = NewPath(),
                               .state_path = NewPath()};
      EXPECT_OK(TakeServerStep(optimizer, step));
      if (HasState(optimizer)) state = *SafetensorsFile::Open(step.state_path);
      const auto model = SafetensorsFile::Open(step.model_path);
      x = model->Find("w")->As<double>()[0];
      course.push_back(x);
    }
    return course;
  }

  TemporaryFolder folder_;
  int files_ = 0;
  std::vector<TensorSpec> specs_ = {{.name = "w", .dtype = DType::kF64}};
};

const std::vector<double>& OracleDeltas() {
  static const std::vector<double> deltas = {-0.5, -0.25, 0.125};
  return deltas;
}

TEST_F(ServerStepTest, Avg_FollowsTheOracle) {
  EXPECT_THAT(Course(Avg(1), 1, OracleDeltas()), ElementsAre(0.5, 0.25, 0.375));
  EXPECT_THAT(Course(Avg(0.5), 1, OracleDeltas()),
              ElementsAre(0.75, 0.625, 0.6875));
  EXPECT_THAT(Course(proto::ServerOptimizer(), 1, OracleDeltas()),
              ElementsAre(0.5, 0.25, 0.375));
}

TEST_F(ServerStepTest, Momentum_FollowsTheOracle) {
  EXPECT_THAT(Course(Momentum(1, 0.9), 1, OracleDeltas()),
              Pointwise(DoubleNear(1e-12), {0.5, -0.2, -0.705}));
}

TEST_F(ServerStepTest, Nesterov_FollowsTheOracle) {
  EXPECT_THAT(Course(Nesterov(1, 0.9), 1, OracleDeltas()),
              Pointwise(DoubleNear(1e-12), {0.05, -0.83, -1.1595}));
  EXPECT_THAT(Course(Nesterov(0.7, 0.9), 1, OracleDeltas()),
              Pointwise(DoubleNear(1e-12), {0.335, -0.281, -0.51165}));
}

// Oracle D1.
TEST_F(ServerStepTest, NesterovOfAConstantGradient_HasItsClosedForm) {
  const std::vector<double> course =
      Course(Nesterov(0.7, 0.9), 0, std::vector<double>(10, -1));

  EXPECT_THAT(course, Pointwise(DoubleNear(1e-6),
                                {-1.33, -3.227, -5.6343, -8.50087, -11.780783,
                                 -15.432705, -19.419434, -23.707491, -28.266742,
                                 -33.070068}));
}

TEST_F(ServerStepTest, MomentumOfZero_EqualsAvg) {
  EXPECT_EQ(Course(Momentum(0.3, 0), 1, OracleDeltas()),
            Course(Avg(0.3), 1, OracleDeltas()));
}

TEST_F(ServerStepTest, Defaults_AreThoseOfTheJobSpec) {
  proto::ServerOptimizer optimizer;
  optimizer.mutable_momentum();

  EXPECT_EQ(Course(optimizer, 1, OracleDeltas()),
            Course(Momentum(1, 0.9), 1, OracleDeltas()));
}

TEST_F(ServerStepTest, OnlyMomentum_HasState) {
  EXPECT_FALSE(HasState(Avg(0.5)));
  EXPECT_FALSE(HasState(proto::ServerOptimizer()));
  EXPECT_TRUE(HasState(Momentum(1, 0)));
  EXPECT_TRUE(HasState(Nesterov(1, 0.9)));
}

TEST_F(ServerStepTest, StepToInfinity_IsAnErrorWithoutAModel) {
  const SafetensorsFile base = Scalar(1e308), mean = Scalar(-1e308);
  const ServerStep step = {.base = &base,
                           .mean = &mean,
                           .specs = specs_,
                           .model_path = NewPath(),
                           .state_path = NewPath()};

  EXPECT_THAT(TakeServerStep(Nesterov(1, 0.9), step),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("element 0 of w F64 []")));
  EXPECT_FALSE(SafetensorsFile::Open(step.model_path).ok());
  EXPECT_FALSE(SafetensorsFile::Open(step.state_path).ok());
}

TEST_F(ServerStepTest, StateOfAnotherModel_IsAnError) {
  const SafetensorsFile base = Scalar(1), mean = Scalar(2);
  const std::string path = NewPath();
  ASSERT_OK(SafetensorsWriter::Create(path, {{.name = "v"}})->Finish());
  const auto state = SafetensorsFile::Open(path);
  const ServerStep step = {.base = &base,
                           .mean = &mean,
                           .state = &*state,
                           .specs = specs_,
                           .model_path = NewPath(),
                           .state_path = NewPath()};

  EXPECT_THAT(TakeServerStep(Nesterov(1, 0.9), step),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       StartsWith("the state of the server optimizer lacks a "
                                  "tensor: expected w F64 []")));
}

}  // namespace
}  // namespace meanfield::optimize
