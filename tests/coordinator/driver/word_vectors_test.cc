// Runs whose models have tensors from a file of word vectors.
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/tensor/safetensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/driver/model_hashes.h"
#include "tests/support/driver/simulation.h"
#include "tests/support/status_matchers.h"

namespace meanfield::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kName[] =
    "embeddings.embeddings.list_embedding_0.embedding.weight";

class WordVectorsRunTest : public ::testing::Test {
 protected:
  WordVectorsRunTest() {
    std::string vectors;
    for (int i = 0; i < 30; ++i) {
      absl::StrAppend(&vectors, "commonw", i, " ", i, " 0.5\n");
      for (int label = 0; label < 4; ++label) {
        absl::StrAppend(&vectors, "c", label, "w", i, " -1 ", label, "\n");
      }
    }
    simulation_.folder().Write("vectors.txt", vectors);
  }

  Simulation::Job Job(bool fine_tune) {
    Simulation::Job job;
    job.rounds = 2;
    job.model = absl::StrCat("embeddings { word_vectors { file: \"",
                             simulation_.folder().File("vectors.txt"),
                             "\" fine_tune: ", fine_tune ? "true" : "false",
                             " } } rnn {}");
    return job;
  }
  proto::RunDetails Run(bool fine_tune) {
    const std::string run = simulation_.Submit(Job(fine_tune));
    simulation_.Settle();
    return simulation_.Load(run);
  }
  SafetensorsFile Open(const proto::BlobRef& ref) {
    return *SafetensorsFile::Open(
        *simulation_.coordinator().store().blobs().Path(
            {.id = ref.id(), .size = ref.size()}));
  }

  Simulation simulation_;
};

TEST_F(WordVectorsRunTest, FrozenVectors_AreInNoModelAndTravelOnce) {
  simulation_.AddWorker("w0");

  const proto::RunDetails details = Run(/*fine_tune=*/false);

  ASSERT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  ASSERT_EQ(details.run().frozen_size(), 1);
  EXPECT_EQ(details.run().frozen(0).name(), kName);
  EXPECT_EQ(Open(details.run().last_model()).Find(kName), nullptr);
  const SafetensorsFile vectors = Open(details.run().frozen(0).file());
  ASSERT_NE(vectors.Find(kName), nullptr);
  // The first TRAIN units bring them to the worker.
  EXPECT_GT(details.rounds(0).bytes(), details.rounds(1).bytes());
}

TEST_F(WordVectorsRunTest, FrozenVectors_ChangeNoHashWithTheWorkers) {
  simulation_.AddWorker("w0");
  const std::vector<std::string> one = ModelHashes(Run(/*fine_tune=*/false));
  simulation_.AddWorker("w1");
  simulation_.AddWorker("w2");
  EXPECT_EQ(ModelHashes(Run(/*fine_tune=*/false)), one);
}

TEST_F(WordVectorsRunTest, FineTunedVectors_StartTheModel) {
  auto worker = simulation_.AddWorker("w0");
  std::vector<float> first;
  worker->tamper = [&](const proto::Unit& unit, const std::string& path,
                       proto::UnitResult&) {
    if (unit.key().kind() != proto::INIT) return;
    const SafetensorsFile model = *SafetensorsFile::Open(path);
    const auto values = model.Get(kName, DType::kF32, 2)->As<float>();
    first.assign(values.begin(), values.end());
  };

  const proto::RunDetails details = Run(/*fine_tune=*/true);

  ASSERT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  EXPECT_EQ(details.run().frozen_size(), 0);
  ASSERT_EQ(first.size(), 151 * 2);
  EXPECT_EQ(first[1], 0.5f);
  EXPECT_EQ(first[150 * 2], 0);
  EXPECT_NE(Open(details.run().last_model()).Find(kName), nullptr);
}

TEST_F(WordVectorsRunTest, FirstModelWithoutTheFrozenTensor_IsRejected) {
  auto worker = simulation_.AddWorker("w0");
  worker->tamper = [](const proto::Unit& unit, const std::string&,
                      proto::UnitResult& result) {
    if (unit.key().kind() != proto::INIT) return;
    result.mutable_tensors()->RemoveLast();
  };

  const proto::RunDetails details = Run(/*fine_tune=*/false);

  EXPECT_EQ(details.run().state(), proto::FAILED);
  ASSERT_GT(details.rejections_size(), 0);
  EXPECT_EQ(details.rejections(0).reason(), "missing");
}

TEST_F(WordVectorsRunTest, MissingFile_IsAFaultOfTheJob) {
  Simulation::Job job = Job(false);
  std::filesystem::remove(simulation_.folder().File("vectors.txt"));
  EXPECT_THAT(simulation_.coordinator().Submit(
                  {.text = simulation_.JobText(job), .path = "toy.textproto"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("cannot read the word vectors")));
}

TEST_F(WordVectorsRunTest, BrokenFile_EndsTheRunWithItsLine) {
  simulation_.folder().Write("vectors.txt", "a 1 2\nb 1 x\n");
  simulation_.AddWorker("w0");

  const proto::RunDetails details = Run(/*fine_tune=*/false);

  EXPECT_EQ(details.run().state(), proto::FAILED);
  EXPECT_THAT(details.run().reason(), HasSubstr("vectors.txt:2: saw \"x\""));
}

}  // namespace
}  // namespace meanfield::testing
