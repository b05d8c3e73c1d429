#ifndef MEANFIELD_TESTS_WORKER_TORCH_TOY_UNITS_H_
#define MEANFIELD_TESTS_WORKER_TORCH_TOY_UNITS_H_

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/random.h"
#include "common/model/encoded_shard.h"
#include "common/tensor/safetensors.h"
#include "common/time/real_clock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"
#include "worker/torch/torch_trainer.h"

namespace meanfield::testing {

// An encoded shard in memory.
struct ToyShard {
  std::vector<int32_t> ids;
  std::vector<int64_t> offsets = {0};
  std::vector<int32_t> labels;
  std::vector<int64_t> label_offsets;  // multi-label only
  std::vector<int32_t> tags;
  std::vector<int32_t> words;
  std::vector<int32_t> characters;
  std::vector<int64_t> character_offsets;

  EncodedShard view() const {
    return {.ids = ids,
            .offsets = offsets,
            .labels = labels,
            .label_offsets = label_offsets,
            .tags = tags,
            .words = words,
            .characters = characters,
            .character_offsets = character_offsets};
  }
  // Samples [first, last), with their labels and tags; not multi-label, one
  // table of embeddings.
  EncodedShard Slice(int64_t first, int64_t last,
                     std::vector<int64_t>& offsets_of_slice) const {
    offsets_of_slice.clear();
    for (int64_t i = first; i <= last; ++i) {
      offsets_of_slice.push_back(offsets[i] - offsets[first]);
    }
    const auto items = [&](const std::vector<int32_t>& all) {
      return std::span(all).subspan(
          all.empty() ? 0 : offsets[first],
          all.empty() ? 0 : offsets[last] - offsets[first]);
    };
    return {.ids = items(ids),
            .offsets = offsets_of_slice,
            .labels = labels.empty()
                          ? std::span<const int32_t>()
                          : std::span(labels).subspan(first, last - first),
            .tags = items(tags),
            .words = items(words),
            .characters = characters,
            .character_offsets = character_offsets};
  }
};

// Texts of 0 to 11 of 50 words (and 14 n-grams behind them); the label is the
// remainder of the first word by 3.
inline ToyShard ToyTexts(int64_t count, uint64_t seed = 1) {
  CounterRng rng(seed);
  ToyShard shard;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t label = static_cast<int32_t>(rng.Below(3));
    const uint64_t words = rng.Below(6);
    for (uint64_t j = 0; j < words; ++j) {
      shard.ids.push_back(static_cast<int32_t>(3 * rng.Below(16)) + label);
    }
    for (uint64_t j = 1; j < words; ++j) {
      shard.ids.push_back(50 + static_cast<int32_t>(rng.Below(14)));
    }
    shard.labels.push_back(words == 0 ? 0 : label);
    shard.offsets.push_back(static_cast<int64_t>(shard.ids.size()));
  }
  return shard;
}

// Sentences of 1 to 9 of 30 words; a word's tag tells whether it is larger than
// the word before it.
inline ToyShard ToySentences(int64_t count, uint64_t seed = 2) {
  CounterRng rng(seed);
  ToyShard shard;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t words = 1 + rng.Below(9);
    int32_t before = 15;
    for (uint64_t j = 0; j < words; ++j) {
      const int32_t id = static_cast<int32_t>(rng.Below(30));
      shard.ids.push_back(id);
      shard.tags.push_back(id > before ? 1 : 0);
      before = id;
    }
    shard.offsets.push_back(static_cast<int64_t>(shard.ids.size()));
  }
  return shard;
}

// ToySentences with the spelling of their words: 1 to 4 of 8 characters.
inline ToyShard ToySpelledSentences(int64_t count, uint64_t seed = 2) {
  ToyShard shard = ToySentences(count, seed);
  shard.words = shard.ids;
  shard.character_offsets = {0};
  for (int32_t word = 0; word < 30; ++word) {
    for (int32_t i = 0; i <= word % 4; ++i) {
      shard.characters.push_back(1 + (word * 7 + i * 3) % 8);
    }
    shard.character_offsets.push_back(
        static_cast<int64_t>(shard.characters.size()));
  }
  return shard;
}

// Texts of 0 to 3 of 50 words; every remainder of a word by 3 is a label.
inline ToyShard ToyLabelSets(int64_t count, uint64_t seed = 3) {
  CounterRng rng(seed);
  ToyShard shard;
  shard.label_offsets = {0};
  for (int64_t i = 0; i < count; ++i) {
    std::set<int32_t> labels;
    for (uint64_t words = rng.Below(4); words > 0; --words) {
      shard.ids.push_back(static_cast<int32_t>(rng.Below(50)));
      labels.insert(shard.ids.back() % 3);
    }
    shard.offsets.push_back(static_cast<int64_t>(shard.ids.size()));
    shard.labels.insert(shard.labels.end(), labels.begin(), labels.end());
    shard.label_offsets.push_back(static_cast<int64_t>(shard.labels.size()));
  }
  return shard;
}

inline ModelConfig ToyBag() {
  return {TextClassifierConfig{
      .embeddings = {OneHotEmbeddings{.num_embeddings = 50,
                                      .embedding_size = 20}},
      .document = BagConfig{.ngram_size = 2, .ngram_buckets = 14},
      .num_labels = 3}};
}

inline ModelConfig ToyRecurrentClassifier(RnnConfig rnn = {
                                              .hidden_size = 10,
                                              .bidirectional = false}) {
  return {TextClassifierConfig{
      .embeddings = {OneHotEmbeddings{.num_embeddings = 64,
                                      .embedding_size = 12}},
      .document =
          DocumentRnnConfig{.rnn = rnn, .reproject_words_dimension = 12},
      .num_labels = 3}};
}

inline ModelConfig ToyTagger() {
  return {SequenceTaggerConfig{.embeddings = {OneHotEmbeddings{
                                   .num_embeddings = 30, .embedding_size = 12}},
                               .rnn = {.hidden_size = 10},
                               .num_tags = 2}};
}

// Of ToySpelledSentences.
inline ModelConfig ToyCrfTagger() {
  return {SequenceTaggerConfig{
      .embeddings = {OneHotEmbeddings{.num_embeddings = 30,
                                      .embedding_size = 12},
                     CharacterEmbeddings{.num_characters = 9,
                                         .embedding_size = 5,
                                         .hidden_size = 6}},
      .rnn = {.hidden_size = 10},
      .crf = true,
      .num_tags = 4}};
}

inline TrainingConfig ToyTraining() {
  return {.batch_size = 8, .eval_batch_size = 4, .loss = LossReduction::kMean};
}

// Runs units of a CPU trainer in a folder of its own.
class ToyUnits {
 public:
  LocalTrainer& trainer() { return *trainer_; }
  std::string File(const std::string& name) { return folder_.File(name); }

  // The first model, from seed 7.
  const SafetensorsFile& Initial(const ModelConfig& model) {
    EXPECT_OK(trainer_->Initialize(model, 7, {}, File("initial")));
    return Open("initial");
  }
  // A unit of `steps` steps; the update goes to the file `output`.
  TrainTask Task(const ModelConfig& model, const SafetensorsFile& weights,
                 const EncodedShard& data, uint64_t steps,
                 const std::string& output) {
    return {.model = model,
            .training = ToyTraining(),
            .global_model = &weights,
            .data = data,
            .num_steps = steps,
            .lr_first = 0.5,
            .lr_last = 0.5,
            .seed = 11,
            .order_seed = 12,
            .output_path = File(output)};
  }
  absl::StatusOr<TrainOutcome> Train(const TrainTask& task) {
    return trainer_->Train(task, {}, [](const StepProgress&) {});
  }
  absl::Status Evaluate(const EvaluateTask& task) {
    return trainer_->Evaluate(task, {}, [](const StepProgress&) {});
  }
  const SafetensorsFile& Open(const std::string& name) {
    absl::StatusOr<SafetensorsFile> file = SafetensorsFile::Open(File(name));
    EXPECT_TRUE(file.ok()) << file.status();
    files_.push_back(
        std::make_unique<SafetensorsFile>(std::move(file).value()));
    return *files_.back();
  }
  std::string Bytes(const std::string& name) { return ReadFile(File(name)); }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Clock> clock_ = MakeRealClock();
  std::unique_ptr<LocalTrainer> trainer_ =
      MakeTorchTrainer({}, *clock_).value();
  std::vector<std::unique_ptr<SafetensorsFile>> files_;
};

template <typename T>
std::vector<T> Values(const SafetensorsFile& file, const std::string& name) {
  const TensorView* tensor = file.Find(name);
  EXPECT_NE(tensor, nullptr) << name;
  if (tensor == nullptr) return {};
  const std::span<const T> values = tensor->As<T>();
  return {values.begin(), values.end()};
}

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_WORKER_TORCH_TOY_UNITS_H_
