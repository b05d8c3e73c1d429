#include "coordinator/corpus/text_encoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "absl/strings/str_format.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/tensor/dtype.h"
#include "coordinator/corpus/encoding.h"
#include "coordinator/corpus/evaluation_output.h"
#include "coordinator/corpus/shard_builder.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

// "label TAB probability" of each of the labels, the likeliest first.
std::string DescribeLabels(std::span<const int32_t> ids,
                           std::span<const float> probabilities,
                           const Dictionary& labels) {
  std::vector<size_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return probabilities[a] > probabilities[b];
  });
  std::string line;
  for (const size_t i : order) {
    absl::StrAppendFormat(&line, "%s%s\t%.4f", line.empty() ? "" : "\t",
                          labels.item(ids[i]), probabilities[i]);
  }
  return line;
}

absl::StatusOr<std::vector<std::string>> DecodeLabels(
    size_t num_texts, const SafetensorsFile& output,
    const Dictionaries& dictionaries) {
  MEANFIELD_ASSIGN_OR_RETURN(
      const PredictedLabels predicted,
      ReadPredictedLabels(output, {.items = num_texts,
                                   .num_labels = dictionaries.labels.size(),
                                   .multi_label = dictionaries.multi_label}));
  MEANFIELD_ASSIGN_OR_RETURN(const TensorView probabilities,
                             output.Get("probabilities", DType::kF32, 1));
  const std::span<const float> all = probabilities.As<float>();
  if (all.size() != predicted.ids.size()) {
    return absl::InvalidArgumentError(
        StrCat("the output has ", all.size(), " probabilities for ",
               predicted.ids.size(), " predictions"));
  }
  std::vector<std::string> lines;
  for (size_t i = 0; i < num_texts; ++i) {
    const std::span<const int32_t> ids = predicted.Of(i);
    const auto begin = static_cast<size_t>(ids.data() - predicted.ids.data());
    lines.push_back(DescribeLabels(ids, all.subspan(begin, ids.size()),
                                   dictionaries.labels));
  }
  return lines;
}

absl::StatusOr<std::vector<std::string>> DecodeTags(
    const std::vector<std::string>& texts, const SafetensorsFile& output,
    const Dictionaries& dictionaries) {
  uint64_t num_tokens = 0;
  for (const std::string& text : texts) num_tokens += Tokenize(text).size();
  MEANFIELD_ASSIGN_OR_RETURN(
      const PredictedLabels tags,
      ReadPredictedLabels(output, {.items = num_tokens,
                                   .num_labels = dictionaries.labels.size()}));
  std::vector<std::string> lines;
  size_t next = 0;
  for (const std::string& text : texts) {
    std::string line;
    for (const std::string& token : Tokenize(text)) {
      StrAppend(&line, line.empty() ? "" : " ", token, "/",
                dictionaries.labels.item(tags.ids[next++]));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::vector<std::string> Tokenize(std::string_view text) {
  std::vector<std::string_view> words;
  SplitAtWhiteSpace(text, words);
  return {words.begin(), words.end()};
}

absl::StatusOr<Blob> EncodeTexts(const std::vector<std::string>& texts,
                                 const Dictionaries& dictionaries,
                                 BlobStore& blobs) {
  ShardBuilder shard(dictionaries, ShardTargets::kNone);
  std::vector<std::string_view> words;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (const size_t at = FindInvalid(texts[i], Encoding::kUtf8);
        at != std::string::npos) {
      return absl::InvalidArgumentError(
          StrCat("text ", i + 1, ": byte ", at + 1,
                 " is not UTF-8; expected text in UTF-8"));
    }
    SplitAtWhiteSpace(texts[i], words);
    shard.AddText(words);
  }
  return shard.Write(Durability::kCached, blobs);
}

absl::StatusOr<std::vector<std::string>> DecodePredictions(
    const std::vector<std::string>& texts, const SafetensorsFile& output,
    const Dictionaries& dictionaries) {
  return dictionaries.label_kind == LabelKind::kDocument
             ? DecodeLabels(texts.size(), output, dictionaries)
             : DecodeTags(texts, output, dictionaries);
}

}  // namespace meanfield::corpus
