#include "coordinator/aggregate/exact_mean.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/aggregate/model_files.h"
#include "tests/support/status_matchers.h"

namespace meanfield::aggregate {
namespace {

using ::meanfield::testing::ReadFile;
using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ExactMeanTest : public ::testing::Test {
 protected:
  SafetensorsFile File(const Model& model) {
    return model.WriteTo(folder_.File(std::to_string(++files_)));
  }
  ExactMean Create(const SafetensorsFile& base, const Model& model,
                   uint64_t total) {
    auto mean = ExactMean::Create(base, model.specs(), total);
    MEANFIELD_CHECK(mean.ok(), mean.status().ToString());
    return *std::move(mean);
  }
  SafetensorsFile Finish(const ExactMean& mean,
                         const SafetensorsFile* only = nullptr) {
    EXPECT_OK(mean.Finish(output_, only));
    auto file = SafetensorsFile::Open(output_);
    MEANFIELD_CHECK(file.ok(), output_);
    return *std::move(file);
  }
  static Model Scalar(float value) {
    return Model().With<float>("w", {}, {value});
  }

  TemporaryFolder folder_;
  std::string output_ = folder_.File("mean");
  int files_ = 0;
};

TEST_F(ExactMeanTest, WeightedMean_CountsExamples) {
  const Model model = Scalar(0.5f);
  const SafetensorsFile base = File(model);
  ExactMean mean = Create(base, model, 400);

  ASSERT_OK(mean.Add(File(Scalar(1)), 100));
  ASSERT_OK(mean.Add(File(Scalar(2)), 300));

  EXPECT_THAT(ValuesOf<float>(Finish(mean), "w"), ElementsAre(1.75f));
  EXPECT_EQ(mean.accepted_weight(), 400u);
  EXPECT_EQ(mean.accepted_updates(), 2);
}

// Oracle I: the numbers of Flower's test.
TEST_F(ExactMeanTest, WeightedMeanOfMatrices_IsFlowers) {
  const Model model = Model().With<float>("w", {2, 3}, {0, 0, 0, 0, 0, 0});
  const SafetensorsFile base = File(model);
  ExactMean mean = Create(base, model, 3);

  ASSERT_OK(
      mean.Add(File(Model().With<float>("w", {2, 3}, {1, 2, 3, 4, 5, 6})), 1));
  ASSERT_OK(mean.Add(
      File(Model().With<float>("w", {2, 3}, {29, 23, 19, 17, 13, 11})), 2));

  EXPECT_THAT(
      ValuesOf<float>(Finish(mean), "w"),
      ElementsAre(59.f / 3, 16, 41.f / 3, 38.f / 3, 31.f / 3, 28.f / 3));
}

TEST_F(ExactMeanTest, NothingAccepted_IsAnError) {
  const Model model = Scalar(1);
  const SafetensorsFile base = File(model);
  const ExactMean mean = Create(base, model, 4);

  EXPECT_THAT(mean.Finish(output_, nullptr),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("no update was accepted")));
}

TEST_F(ExactMeanTest, SingleUpdate_GivesItsBytes) {
  const Model model = Model().With<float>("w", {0.5f, 1, -1, 0});
  const Model trained =
      Model().With<float>("w", {1e-30f, -0.0f, 0.1f, -1e-42f});
  const SafetensorsFile base = File(model), update = File(trained);
  ExactMean mean = Create(base, model, 7);

  ASSERT_OK(mean.Add(update, 7));
  Finish(mean, &update);

  EXPECT_EQ(ReadFile(output_), ReadFile(folder_.File("2")));
}

TEST_F(ExactMeanTest, SingleUpdateLeftOfTwo_GivesItsBytes) {
  const Model model = Scalar(1);
  const SafetensorsFile base = File(model);
  const SafetensorsFile kept = File(Scalar(1e-30f)), gone = File(Scalar(3));
  ExactMean mean = Create(base, model, 10);

  ASSERT_OK(mean.Add(kept, 5));
  ASSERT_OK(mean.Add(gone, 5));
  ASSERT_OK(mean.Remove(gone, 5));

  EXPECT_THAT(ValuesOf<float>(Finish(mean, &kept), "w"), ElementsAre(1e-30f));
}

TEST_F(ExactMeanTest, EqualUpdates_KeepTheBasesBits) {
  const Model model = Model().With<float>("w", {-0.0f, 1e-44f, -3});
  const SafetensorsFile base = File(model);
  ExactMean mean = Create(base, model, 2);

  ASSERT_OK(mean.Add(base, 1));
  ASSERT_OK(mean.Add(base, 1));
  Finish(mean);

  EXPECT_EQ(ReadFile(output_), ReadFile(folder_.File("1")));
}

TEST_F(ExactMeanTest, PartialGroup_RenormalisesTheWeights) {
  const Model model = Scalar(1);
  const SafetensorsFile base = File(model);
  ExactMean mean = Create(base, model, 400);

  ASSERT_OK(mean.Add(File(Scalar(2)), 100));
  ASSERT_OK(mean.Add(File(Scalar(4)), 100));

  EXPECT_THAT(ValuesOf<float>(Finish(mean), "w"), ElementsAre(3));
}

TEST_F(ExactMeanTest, EightUpdatesJustBelowTheLimit_GiveTheirMean) {
  const Model model = Scalar(-8);
  const SafetensorsFile base = File(model);
  const SafetensorsFile update = File(Scalar(8183.8f));
  ExactMean mean = Create(base, model, 8);

  for (int k = 0; k < 8; ++k) ASSERT_OK(mean.Add(update, 1));

  EXPECT_THAT(ValuesOf<float>(Finish(mean), "w"), ElementsAre(8183.8f));
}

TEST_F(ExactMeanTest, EmptyAndScalarTensors_AreTensors) {
  const Model model = Model()
                          .With("empty", {3, 0}, std::vector<float>())
                          .With<double>("scalar", {}, {2.0});
  const SafetensorsFile base = File(model);
  const SafetensorsFile update =
      File(Model()
               .With("empty", {3, 0}, std::vector<float>())
               .With<double>("scalar", {}, {4.0}));
  ExactMean mean = Create(base, model, 4);
  ASSERT_OK(mean.Add(update, 1));
  ASSERT_OK(mean.Add(base, 3));

  const SafetensorsFile result = Finish(mean);

  EXPECT_THAT(ValuesOf<double>(result, "scalar"), ElementsAre(2.5));
  EXPECT_THAT(result.Find("empty")->spec.shape, ElementsAre(3, 0));
}

TEST_F(ExactMeanTest, Buffers_AreAveraged) {
  const Model model =
      Model().With<float>("running_mean", {0, 2}, TensorRole::kBuffer);
  const SafetensorsFile base = File(model);
  ExactMean mean = Create(base, model, 4);

  ASSERT_OK(mean.Add(File(Model().With<float>("running_mean", {1, 2})), 1));
  ASSERT_OK(mean.Add(File(Model().With<float>("running_mean", {3, 6})), 3));

  EXPECT_THAT(ValuesOf<float>(Finish(mean), "running_mean"),
              ElementsAre(2.5f, 5));
  EXPECT_EQ(mean.last_update_norm(), 0);
}

TEST_F(ExactMeanTest, FrozenTensorOfTheBase_StaysInTheMean) {
  const Model model = Model()
                          .With<float>("w", {1.f})
                          .With<float>("words", {5, 6}, TensorRole::kFrozen);
  const SafetensorsFile base = File(model);
  ExactMean mean = Create(base, model, 2);
  ASSERT_OK(mean.Add(File(Model().With<float>("w", {2.f})), 1));
  ASSERT_OK(mean.Add(File(Model().With<float>("w", {4.f})), 1));

  const SafetensorsFile result = Finish(mean);

  EXPECT_THAT(ValuesOf<float>(result, "words"), ElementsAre(5, 6));
  EXPECT_THAT(ValuesOf<float>(result, "w"), ElementsAre(3));
}

TEST_F(ExactMeanTest, FrozenTensorApart_IsNotPartOfTheMean) {
  const Model stored = Scalar(1);
  const Model all = Scalar(1).With<float>("words", {5, 6}, TensorRole::kFrozen);
  const SafetensorsFile base = File(stored);
  ExactMean mean = Create(base, all, 2);
  ASSERT_OK(mean.Add(base, 1));
  ASSERT_OK(mean.Add(base, 1));

  EXPECT_EQ(Finish(mean).tensors().size(), 1u);
}

TEST_F(ExactMeanTest, Norm_SpansTheTrainableTensors) {
  const Model model = Model()
                          .With<float>("a", {0, 1000})
                          .With<double>("b", {0.0})
                          .With<float>("buffer", {0.f}, TensorRole::kBuffer);
  const SafetensorsFile base = File(model);
  ExactMean mean = Create(base, model, 2);

  ASSERT_OK(mean.Add(File(Model()
                              .With<float>("a", {2, 1003})
                              .With<double>("b", {6.0})
                              .With<float>("buffer", {50.f})),
                     1));

  EXPECT_EQ(mean.last_update_norm(), 7);
}

TEST_F(ExactMeanTest, Cuda_IsThereOrSaysWhyNot) {
  const Model model = Scalar(1);
  const SafetensorsFile base = File(model);

  auto mean = ExactMean::Create(base, model.specs(), 2, FoldDevice::kCuda);

  if (!mean.ok()) {
    EXPECT_THAT(mean, StatusIs(absl::StatusCode::kFailedPrecondition,
                               HasSubstr("CUDA")));
    GTEST_SKIP() << mean.status();
  }
  ASSERT_OK(mean->Add(File(Scalar(2)), 1));
  ASSERT_OK(mean->Add(File(Scalar(4)), 1));
  EXPECT_THAT(ValuesOf<float>(Finish(*mean), "w"), ElementsAre(3));
}

}  // namespace
}  // namespace meanfield::aggregate
