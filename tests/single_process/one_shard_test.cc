// A whole run of `meanfield train` with one shard against ordinary training:
// one process, LibTorch's modules and optimizer around the worker's recurrent
// layer, no coordinator.
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/integration/training_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/worker/torch/plain_models.h"
#include "tests/worker/torch/toy_units.h"
#include "worker/torch/numerics.h"

namespace meanfield::testing {
namespace {

constexpr uint64_t kJobSeed = 42;  // the default
constexpr int kRounds = 3;
constexpr float kLearningRate = 0.5f;

// Workers pin their numerics; a process that is not pinned is of another class.
void RunPinned() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ASSERT_OK(PinNumerics(argv.data()));
}

uint64_t Seed(uint64_t round, std::string_view purpose) {
  return DeriveSeed({.job_seed = kJobSeed,
                     .round = round,
                     .task = "task",
                     .shard = 0,
                     .purpose = purpose});
}

class OneShardTest : public TrainingTest {
 protected:
  static void SetUpTestSuite() { RunPinned(); }

  std::string Job() const {
    return folder_.Write(
        "one.textproto",
        "shards: 1\ntask {\n"
        "  corpus { conll { train: \"train.conll\" label_column: 1 } }\n"
        "  model { sequence_tagger { embeddings { one_hot { "
        "embedding_size: 12 min_frequency: 1 } } rnn { hidden_size: 10 } } }\n"
        "  training { batch_size: 8 loss: MEAN sgd { learning_rate: 0.5 } }\n"
        "}\nstop { max_rounds: 3 }\n");
  }
  // The run's only training shard.
  ToyShard Shard() const {
    const nlohmann::json manifest =
        nlohmann::json::parse(ReadFile(Out("out") + "/manifest.json"));
    const std::string blob = manifest["splits"]["train"]["shards"][0]["blob"];
    const auto file =
        SafetensorsFile::Open(Out("out") + "/state/objects/" + blob).value();
    const EncodedShard view = ViewEncodedShard(file).value();
    ToyShard shard;
    shard.ids.assign(view.ids.begin(), view.ids.end());
    shard.offsets.assign(view.offsets.begin(), view.offsets.end());
    shard.tags.assign(view.tags.begin(), view.tags.end());
    return shard;
  }
};

TEST_F(OneShardTest, WholeRun_EqualsAPlainLoopBitForBit) {
  ASSERT_EQ(RunProcess(TrainCommand(Job(), "out", /*workers=*/1)).exit_code, 0);
  const ToyShard shard = Shard();
  const ModelConfig model =
      ParseModelConfig(ReadFile(Out("out") + "/model.json")).value();
  const TrainingConfig training =
      ParseTrainingConfig(ReadFile(Out("out") + "/training.json")).value();
  ToyUnits units;
  ASSERT_OK(units.trainer().Initialize(model, Seed(0, "init"), {},
                                       units.File("first")));
  PlainTagger plain(std::get<SequenceTaggerConfig>(model.model),
                    /*sparse=*/false, RecurrentLayers::kWorkers);
  LoadPlainly(plain, units.Open("first"));

  const uint64_t epoch = (shard.view().size() + 7) / 8;
  for (int round = 1; round <= kRounds; ++round) {
    TrainPlainly(plain,
                 TrainTask{.model = model,
                           .training = training,
                           .data = shard.view(),
                           .first_step = (round - 1) * epoch,
                           .num_steps = epoch,
                           .lr_first = kLearningRate,
                           .lr_last = kLearningRate,
                           .seed = Seed(round, "train"),
                           .order_seed = Seed(0, "order")},
                 shard);
  }

  ASSERT_OK_AND_ASSIGN(
      const SafetensorsFile final,
      SafetensorsFile::Open(Out("out") + "/final.safetensors"));
  EXPECT_EQ(final.tensors().size(), plain.named_parameters().size());
  for (const auto& parameter : plain.named_parameters()) {
    const auto values = Values<float>(final, parameter.key());
    ASSERT_EQ(static_cast<int64_t>(values.size()), parameter.value().numel());
    EXPECT_EQ(0, std::memcmp(values.data(), parameter.value().data_ptr<float>(),
                             values.size() * sizeof(float)))
        << parameter.key();
  }
}

}  // namespace
}  // namespace meanfield::testing
