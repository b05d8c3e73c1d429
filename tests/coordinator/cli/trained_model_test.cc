#include "coordinator/cli/trained_model.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/tensor/safetensors.h"
#include "coordinator/report/report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/driver/simulation.h"
#include "tests/support/status_matchers.h"

namespace meanfield::cli {
namespace {

using ::meanfield::testing::ReadFile;
using ::meanfield::testing::Simulation;
using ::meanfield::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kVectors[] =
    "embeddings.embeddings.list_embedding_0.embedding.weight";

class TrainedModelTest : public ::testing::Test {
 protected:
  TrainedModelTest() : blobs_(*BlobStore::Open(File("scratch"))) {
    simulation_.AddWorker("w0");
  }
  std::string File(const std::string& name) {
    return simulation_.folder().File(name);
  }
  // A run of one round in the folder `out`.
  void Train(const std::string& model) {
    Simulation::Job job;
    job.rounds = 1;
    job.model = model;
    const std::string run = simulation_.Submit(job);
    simulation_.Settle();
    run_ = simulation_.Load(run).run();
    Export();
  }
  void TrainWithVectors() {
    const std::string vectors =
        simulation_.folder().Write("vectors", "commonw1 1 2\nc1w1 3 4\n");
    Train(absl::StrCat("embeddings { word_vectors { file: \"", vectors,
                       "\" } } rnn {}"));
  }
  void Export() {
    store::RunStore& store = simulation_.coordinator().store();
    ASSERT_OK(report::WriteOutputFolder(*store.Load(run_.id()), store.blobs(),
                                        File("out")));
  }
  // Changes one bit of the tensor in the exported best model.
  void Damage(std::string_view tensor) {
    const std::string path = File("out/best.safetensors");
    std::string bytes = ReadFile(path);
    {
      const SafetensorsFile file = *SafetensorsFile::Open(path);
      size_t from_end = 0;
      for (const TensorView& view : file.tensors()) {
        if (view.spec.name == tensor || from_end > 0) {
          from_end += view.bytes.size();
        }
      }
      bytes[bytes.size() - from_end] ^= 1;
    }
    std::filesystem::remove(path);
    simulation_.folder().Write("out/best.safetensors", bytes);
  }
  auto IsDamaged(std::string_view what) {
    return StatusIs(absl::StatusCode::kInvalidArgument,
                    ::testing::AllOf(HasSubstr("best.safetensors"),
                                     HasSubstr(std::string(what)),
                                     HasSubstr("changed or damaged")));
  }

  Simulation simulation_;
  BlobStore blobs_;
  proto::RunRecord run_;
};

TEST_F(TrainedModelTest, PlainModel_IsTheRunsBlob) {
  Train("");

  ASSERT_OK_AND_ASSIGN(const TrainedModel model,
                       LoadTrainedModel(File("out"), blobs_));

  EXPECT_EQ(model.weights.id, run_.best_model().id());
  EXPECT_THAT(model.frozen, IsEmpty());
  Damage("weight");
  EXPECT_THAT(LoadTrainedModel(File("out"), blobs_), IsDamaged("its bytes"));
}

TEST_F(TrainedModelTest, WordVectors_AreInTheFileAndComeApartAgain) {
  TrainWithVectors();
  for (const char* name : {"out/best.safetensors", "out/final.safetensors"}) {
    ASSERT_OK_AND_ASSIGN(const SafetensorsFile file,
                         SafetensorsFile::Open(File(name)));
    EXPECT_NE(file.Find(kVectors), nullptr) << name;
    EXPECT_NE(file.Find("weight"), nullptr) << name;
  }

  ASSERT_OK_AND_ASSIGN(const TrainedModel model,
                       LoadTrainedModel(File("out"), blobs_));

  EXPECT_EQ(model.weights.id, run_.best_model().id());
  ASSERT_THAT(model.frozen, SizeIs(1));
  EXPECT_EQ(model.frozen[0].id, run_.frozen(0).file().id());
}

TEST_F(TrainedModelTest, ChangedTensor_IsNamed) {
  TrainWithVectors();
  Damage(kVectors);
  EXPECT_THAT(LoadTrainedModel(File("out"), blobs_), IsDamaged(kVectors));
  Export();
  EXPECT_OK(LoadTrainedModel(File("out"), blobs_));
  Damage("bias");
  EXPECT_THAT(LoadTrainedModel(File("out"), blobs_),
              IsDamaged("its trained tensors"));
}

TEST_F(TrainedModelTest, ModelWithoutItsVectors_IsRefused) {
  TrainWithVectors();
  const auto file = SafetensorsFile::Open(File("out/best.safetensors"));
  std::vector<TensorView> tensors;
  for (const TensorView& view : file->tensors()) {
    if (view.spec.name != kVectors) tensors.push_back(view);
  }
  std::filesystem::remove(File("out/best.safetensors"));
  ASSERT_OK(WriteSafetensors(File("out/best.safetensors"), tensors));
  EXPECT_THAT(LoadTrainedModel(File("out"), blobs_),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("it holds 0 frozen tensors")));
}

}  // namespace
}  // namespace meanfield::cli
