#include "common/model/encoded_shard.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/tensor/safetensors.h"

namespace meanfield {
namespace {

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
    const std::string& name = tensor.spec.name;
    if (name != "ids" && name != "offsets" && name != "labels" &&
        name != "tags") {
      return Invalid(StrCat("unknown tensor ", DebugString(tensor.spec),
                            "; known are ids, offsets, labels, tags"));
    }
  }
  if (file.Find("labels") != nullptr && file.Find("tags") != nullptr) {
    return Invalid("both labels and tags, expected one of them at most");
  }
  return absl::OkStatus();
}

absl::Status CheckOffsets(const EncodedShard& shard, bool has_tags) {
  const std::span<const int64_t> offsets = shard.offsets;
  if (offsets.empty() || offsets.front() != 0) {
    return Invalid("offsets do not start with 0");
  }
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) {
      return Invalid(StrCat("offsets[", i, "] = ", offsets[i],
                            " is below the one before, ", offsets[i - 1]));
    }
    if (has_tags && offsets[i] == offsets[i - 1]) {
      return Invalid(StrCat("sample ", i - 1,
                            " has no tokens: a tagger needs one at least"));
    }
  }
  if (offsets.back() != static_cast<int64_t>(shard.ids.size())) {
    return Invalid(StrCat("offsets end with ", offsets.back(),
                          " but there are ", shard.ids.size(), " ids"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EncodedShard> ViewEncodedShard(const SafetensorsFile& file) {
  MEANFIELD_RETURN_IF_ERROR(CheckNames(file));
  const bool has_labels = file.Find("labels") != nullptr;
  const bool has_tags = file.Find("tags") != nullptr;
  EncodedShard shard;
  MEANFIELD_ASSIGN_OR_RETURN(shard.ids, Vector<int32_t>(file, "ids"));
  MEANFIELD_ASSIGN_OR_RETURN(shard.offsets, Vector<int64_t>(file, "offsets"));
  MEANFIELD_RETURN_IF_ERROR(CheckOffsets(shard, has_tags));
  if (has_labels) {
    MEANFIELD_ASSIGN_OR_RETURN(shard.labels, Vector<int32_t>(file, "labels"));
    if (static_cast<int64_t>(shard.labels.size()) != shard.size()) {
      return Invalid(StrCat(shard.labels.size(), " labels for ", shard.size(),
                            " samples"));
    }
  }
  if (has_tags) {
    MEANFIELD_ASSIGN_OR_RETURN(shard.tags, Vector<int32_t>(file, "tags"));
    if (shard.tags.size() != shard.ids.size()) {
      return Invalid(
          StrCat(shard.tags.size(), " tags for ", shard.ids.size(), " ids"));
    }
  }
  return shard;
}

}  // namespace meanfield
