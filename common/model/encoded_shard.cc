#include "common/model/encoded_shard.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/tensor/safetensors.h"

namespace meanfield {
namespace {

constexpr std::string_view kNames[] = {
    "ids",  "offsets", "labels",     "label_offsets",
    "tags", "words",   "characters", "character_offsets"};

absl::Status Invalid(std::string_view fault) {
  return absl::InvalidArgumentError(StrCat("encoded shard: ", fault));
}

template <typename T>
absl::StatusOr<std::span<const T>> Vector(const SafetensorsFile& file,
                                          std::string_view name) {
  const absl::StatusOr<TensorView> view =
      file.Get(name, DTypeOf<T>(), /*rank=*/1);
  if (!view.ok()) return Annotate(view.status(), "encoded shard");
  return view->As<T>();
}

absl::Status CheckNames(const SafetensorsFile& file) {
  for (const TensorView& tensor : file.tensors()) {
    if (std::ranges::find(kNames, tensor.spec.name) == std::end(kNames)) {
      std::string known;
      for (const std::string_view name : kNames) {
        StrAppend(&known, known.empty() ? "" : ", ", name);
      }
      return Invalid(StrCat("unknown tensor ", DebugString(tensor.spec),
                            "; known are ", known));
    }
  }
  const auto has = [&](std::string_view name) {
    return file.Find(name) != nullptr;
  };
  if (has("labels") && has("tags")) {
    return Invalid("both labels and tags, expected one of them at most");
  }
  if (has("label_offsets") && !has("labels")) {
    return Invalid("label_offsets without labels");
  }
  if (has("words") != has("characters") ||
      has("words") != has("character_offsets")) {
    return Invalid(
        "some of words, characters, character_offsets, expected all or none");
  }
  return absl::OkStatus();
}

// Offsets rise from 0 to `end`, by `least` at each step.
absl::Status CheckOffsets(std::string_view name,
                          std::span<const int64_t> offsets, int64_t least,
                          size_t end, std::string_view what) {
  if (offsets.empty() || offsets.front() != 0) {
    return Invalid(StrCat(name, " do not start with 0"));
  }
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) {
      return Invalid(StrCat(name, "[", i, "] = ", offsets[i],
                            " is below the one before, ", offsets[i - 1]));
    }
    if (offsets[i] - offsets[i - 1] < least) {
      return Invalid(StrCat(name, ": no ", what, " at ", i - 1,
                            ", expected one at least"));
    }
  }
  if (offsets.back() != static_cast<int64_t>(end)) {
    return Invalid(StrCat(name, " end with ", offsets.back(), " but there are ",
                          end, " ", what));
  }
  return absl::OkStatus();
}

absl::Status CheckLength(std::string_view name, size_t length, int64_t expected,
                         std::string_view items) {
  if (length == static_cast<size_t>(expected)) return absl::OkStatus();
  return Invalid(StrCat(length, " ", name, " for ", expected, " ", items));
}

absl::Status ReadTokens(const SafetensorsFile& file, EncodedShard& shard) {
  const absl::StatusOr<TensorView> ids =
      file.Get("ids", DType::kI32, /*rank=*/2);
  if (!ids.ok()) return Annotate(ids.status(), "encoded shard");
  shard.ids = ids->As<int32_t>();
  MEANFIELD_ASSIGN_OR_RETURN(shard.offsets, Vector<int64_t>(file, "offsets"));
  const int64_t least = file.Find("tags") != nullptr ? 1 : 0;
  return CheckOffsets("offsets", shard.offsets, least,
                      static_cast<size_t>(ids->spec.shape[1]), "tokens");
}

absl::Status CheckRisingLabels(const EncodedShard& shard) {
  for (int64_t i = 0; i < shard.size(); ++i) {
    const auto begin = static_cast<size_t>(shard.label_offsets[i]);
    const auto end = static_cast<size_t>(shard.label_offsets[i + 1]);
    for (size_t j = begin + 1; j < end; ++j) {
      if (shard.labels[j] > shard.labels[j - 1]) continue;
      return Invalid(StrCat("label ", shard.labels[j], " of sample ", i,
                            " comes after ", shard.labels[j - 1],
                            ", expected them to rise"));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadLabels(const SafetensorsFile& file, EncodedShard& shard) {
  if (file.Find("labels") == nullptr) return absl::OkStatus();
  MEANFIELD_ASSIGN_OR_RETURN(shard.labels, Vector<int32_t>(file, "labels"));
  if (file.Find("label_offsets") == nullptr) {
    return CheckLength("labels", shard.labels.size(), shard.size(), "samples");
  }
  MEANFIELD_ASSIGN_OR_RETURN(shard.label_offsets,
                             Vector<int64_t>(file, "label_offsets"));
  MEANFIELD_RETURN_IF_ERROR(
      CheckLength("label_offsets", shard.label_offsets.size(), shard.size() + 1,
                  "samples and an end"));
  MEANFIELD_RETURN_IF_ERROR(CheckOffsets("label_offsets", shard.label_offsets,
                                         /*least=*/0, shard.labels.size(),
                                         "labels"));
  return CheckRisingLabels(shard);
}

absl::Status ReadTags(const SafetensorsFile& file, EncodedShard& shard) {
  if (file.Find("tags") == nullptr) return absl::OkStatus();
  MEANFIELD_ASSIGN_OR_RETURN(shard.tags, Vector<int32_t>(file, "tags"));
  return CheckLength("tags", shard.tags.size(), shard.num_tokens(), "tokens");
}

absl::Status ReadCharacters(const SafetensorsFile& file, EncodedShard& shard) {
  if (file.Find("words") == nullptr) return absl::OkStatus();
  MEANFIELD_ASSIGN_OR_RETURN(shard.words, Vector<int32_t>(file, "words"));
  MEANFIELD_ASSIGN_OR_RETURN(shard.characters,
                             Vector<int32_t>(file, "characters"));
  MEANFIELD_ASSIGN_OR_RETURN(shard.character_offsets,
                             Vector<int64_t>(file, "character_offsets"));
  MEANFIELD_RETURN_IF_ERROR(
      CheckLength("words", shard.words.size(), shard.num_tokens(), "tokens"));
  MEANFIELD_RETURN_IF_ERROR(
      CheckOffsets("character_offsets", shard.character_offsets, /*least=*/1,
                   shard.characters.size(), "characters"));
  const auto num_words =
      static_cast<int64_t>(shard.character_offsets.size()) - 1;
  for (size_t i = 0; i < shard.words.size(); ++i) {
    if (shard.words[i] >= 0 && shard.words[i] < num_words) continue;
    return Invalid(StrCat("words[", i, "] = ", shard.words[i],
                          ", expected 0 to ", num_words - 1));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EncodedShard> ViewEncodedShard(const SafetensorsFile& file) {
  MEANFIELD_RETURN_IF_ERROR(CheckNames(file));
  EncodedShard shard;
  MEANFIELD_RETURN_IF_ERROR(ReadTokens(file, shard));
  MEANFIELD_RETURN_IF_ERROR(ReadLabels(file, shard));
  MEANFIELD_RETURN_IF_ERROR(ReadTags(file, shard));
  MEANFIELD_RETURN_IF_ERROR(ReadCharacters(file, shard));
  return shard;
}

}  // namespace meanfield
