#include "worker/torch/check_shard.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/status.h"
#include "common/base/strings.h"

namespace meanfield {
namespace {

constexpr char kMismatch[] = ": shard and model.json do not belong together";

// Finds where `values` leave [0, bound); their count where they do not.
size_t FindOutside(std::span<const int32_t> values, int64_t bound) {
  // One pass that vectorises; the place is looked for only when it is wanted.
  int32_t least = 0;
  int32_t most = 0;
  for (const int32_t value : values) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (least >= 0 && most < bound) return values.size();
  return std::find_if(
             values.begin(), values.end(),
             [bound](int32_t value) { return value < 0 || value >= bound; }) -
         values.begin();
}

absl::Status CheckBelow(std::string_view tensor, std::string_view of,
                        std::span<const int32_t> values, int64_t bound) {
  const size_t bad = FindOutside(values, bound);
  if (bad == values.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("tensor ", tensor, " of the shard holds ", values[bad],
             " at position ", bad, ", but the model has ", bound, " ", of,
             " (expected 0 to ", bound - 1, ")", kMismatch));
}

absl::Status CheckCount(std::string_view tensor, size_t elements,
                        int64_t expected, std::string_view why) {
  if (static_cast<int64_t>(elements) == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("tensor ", tensor, " of the shard has ", elements,
             " elements, expected ", expected, ": ", why));
}

constexpr char kAnswersNeeded[] =
    "training and evaluating need the right answer of every item";

int64_t TableSize(const Embeddings& embeddings) {
  if (const auto* words = std::get_if<WordEmbeddings>(&embeddings)) {
    return words->num_embeddings;
  }
  return std::get<OneHotEmbeddings>(embeddings).num_embeddings;
}

absl::Status CheckCharacters(const CharacterEmbeddings& embeddings,
                             const EncodedShard& shard) {
  if (shard.num_tokens() == 0) return absl::OkStatus();
  MEANFIELD_RETURN_IF_ERROR(
      CheckCount("words", shard.words.size(), shard.num_tokens(),
                 "the model reads the characters of every token"));
  if (shard.character_offsets.empty()) {
    return absl::InvalidArgumentError(
        StrCat("the shard has no tensor character_offsets, but the model ",
               "reads characters", kMismatch));
  }
  const auto words = static_cast<int64_t>(shard.character_offsets.size()) - 1;
  MEANFIELD_RETURN_IF_ERROR(
      CheckBelow("words", "words in the shard", shard.words, words));
  return CheckBelow("characters", "characters", shard.characters,
                    embeddings.num_characters);
}

// `more`: ids behind the words of a table, those of n-grams.
absl::Status CheckIds(const std::vector<Embeddings>& embeddings, int64_t more,
                      const EncodedShard& shard) {
  const int64_t tokens = shard.num_tokens();
  int64_t tables = 0;
  for (const Embeddings& each : embeddings) {
    tables += !std::holds_alternative<CharacterEmbeddings>(each);
  }
  MEANFIELD_RETURN_IF_ERROR(
      CheckCount("ids", shard.ids.size(), tables * tokens,
                 StrCat("a row of ", tokens, " tokens for each of the model's ",
                        tables, " embeddings with a table")));
  int64_t row = 0;
  for (const Embeddings& each : embeddings) {
    if (const auto* characters = std::get_if<CharacterEmbeddings>(&each)) {
      MEANFIELD_RETURN_IF_ERROR(CheckCharacters(*characters, shard));
      continue;
    }
    const auto ids = shard.ids.subspan(row * tokens, tokens);
    MEANFIELD_RETURN_IF_ERROR(
        CheckBelow(tables == 1 ? "ids" : StrCat("ids (row ", row, ")"),
                   "embeddings", ids, TableSize(each) + more));
    ++row;
  }
  return absl::OkStatus();
}

absl::Status CheckLabels(const TextClassifierConfig& model,
                         const EncodedShard& shard) {
  if (model.multi_label) {
    MEANFIELD_RETURN_IF_ERROR(CheckCount("label_offsets",
                                         shard.label_offsets.size(),
                                         shard.size() + 1, kAnswersNeeded));
  } else {
    MEANFIELD_RETURN_IF_ERROR(
        CheckCount("label_offsets", shard.label_offsets.size(), 0,
                   "the model gives one label to a text"));
    MEANFIELD_RETURN_IF_ERROR(CheckCount("labels", shard.labels.size(),
                                         shard.size(), kAnswersNeeded));
  }
  return CheckBelow("labels", "labels", shard.labels, model.num_labels);
}

absl::Status CheckTags(const SequenceTaggerConfig& model,
                       const EncodedShard& shard) {
  MEANFIELD_RETURN_IF_ERROR(CheckCount("tags", shard.tags.size(),
                                       shard.num_tokens(), kAnswersNeeded));
  if (!model.crf) return CheckBelow("tags", "tags", shard.tags, model.num_tags);
  return CheckBelow("tags", "tags besides <START> and <STOP>", shard.tags,
                    model.num_tags - 2);
}

}  // namespace

absl::Status CheckShard(const ModelConfig& config, const EncodedShard& shard,
                        Targets targets) {
  const bool needed = targets == Targets::kNeeded;
  if (const auto* tagger = std::get_if<SequenceTaggerConfig>(&config.model)) {
    MEANFIELD_RETURN_IF_ERROR(CheckIds(tagger->embeddings, 0, shard));
    return needed ? CheckTags(*tagger, shard) : absl::OkStatus();
  }
  const auto& classifier = std::get<TextClassifierConfig>(config.model);
  const auto* bag = std::get_if<BagConfig>(&classifier.document);
  MEANFIELD_RETURN_IF_ERROR(CheckIds(
      classifier.embeddings, bag != nullptr ? bag->ngram_buckets : 0, shard));
  return needed ? CheckLabels(classifier, shard) : absl::OkStatus();
}

}  // namespace meanfield
