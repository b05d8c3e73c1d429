#include "coordinator/corpus/text_encoder.h"

#include <cstdint>
#include <span>

#include "absl/strings/str_format.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/tensor/dtype.h"
#include "coordinator/corpus/encoding.h"
#include "coordinator/corpus/shard_writer.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

absl::StatusOr<std::string> LabelOf(int32_t id,
                                    const Dictionaries& dictionaries) {
  if (id >= 0 && id < dictionaries.labels.size()) {
    return dictionaries.labels.item(id);
  }
  return absl::InvalidArgumentError(StrCat("prediction has label id ", id,
                                           ", expected 0 … ",
                                           dictionaries.labels.size() - 1));
}

absl::Status CheckCount(std::string_view tensor, size_t seen, size_t expected) {
  if (seen == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("prediction has ", seen, " ", tensor, ", expected ", expected));
}

absl::StatusOr<std::vector<std::string>> DecodeTexts(
    size_t num_texts, std::span<const int32_t> ids,
    std::span<const float> probabilities, const Dictionaries& dictionaries) {
  MEANFIELD_RETURN_IF_ERROR(CheckCount("predictions", ids.size(), num_texts));
  MEANFIELD_RETURN_IF_ERROR(
      CheckCount("probabilities", probabilities.size(), num_texts));
  std::vector<std::string> lines;
  for (size_t i = 0; i < num_texts; ++i) {
    MEANFIELD_ASSIGN_OR_RETURN(const std::string label,
                               LabelOf(ids[i], dictionaries));
    lines.push_back(absl::StrFormat("%s\t%.4f", label, probabilities[i]));
  }
  return lines;
}

absl::StatusOr<std::vector<std::string>> DecodeTags(
    const std::vector<std::string>& texts, std::span<const int32_t> ids,
    const Dictionaries& dictionaries) {
  std::vector<std::string> lines;
  size_t next = 0;
  for (const std::string& text : texts) {
    std::string line;
    for (const std::string& token : Tokenize(text)) {
      if (next == ids.size()) {
        return absl::InvalidArgumentError(
            StrCat("prediction has ", ids.size(),
                   " tags, expected more: one for "
                   "each token of the texts"));
      }
      MEANFIELD_ASSIGN_OR_RETURN(const std::string tag,
                                 LabelOf(ids[next++], dictionaries));
      StrAppend(&line, line.empty() ? "" : " ", token, "/", tag);
    }
    lines.push_back(std::move(line));
  }
  MEANFIELD_RETURN_IF_ERROR(CheckCount("tags", ids.size(), next));
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
  ShardTensors shard;
  std::vector<std::string_view> words;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (const size_t at = FindInvalid(texts[i], Encoding::kUtf8);
        at != std::string::npos) {
      return absl::InvalidArgumentError(
          StrCat("text ", i + 1, ": byte ", at + 1,
                 " is not UTF-8; expected text in UTF-8"));
    }
    SplitAtWhiteSpace(texts[i], words);
    const std::vector<int32_t> ids = dictionaries.Encode(std::span(words));
    shard.ids.insert(shard.ids.end(), ids.begin(), ids.end());
    shard.offsets.push_back(static_cast<int64_t>(shard.ids.size()));
  }
  return WriteShard(shard, ShardTargets::kNone, Durability::kCached, blobs);
}

absl::StatusOr<std::vector<std::string>> DecodePredictions(
    const std::vector<std::string>& texts, const SafetensorsFile& output,
    const Dictionaries& dictionaries) {
  MEANFIELD_ASSIGN_OR_RETURN(const TensorView predictions,
                             output.Get("predictions", DType::kI32, 1));
  if (dictionaries.label_kind != LabelKind::kDocument) {
    return DecodeTags(texts, predictions.As<int32_t>(), dictionaries);
  }
  MEANFIELD_ASSIGN_OR_RETURN(const TensorView probabilities,
                             output.Get("probabilities", DType::kF32, 1));
  return DecodeTexts(texts.size(), predictions.As<int32_t>(),
                     probabilities.As<float>(), dictionaries);
}

}  // namespace meanfield::corpus
