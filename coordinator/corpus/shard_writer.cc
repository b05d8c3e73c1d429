#include "coordinator/corpus/shard_writer.h"

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "absl/cleanup/cleanup.h"
#include "common/base/status.h"
#include "common/tensor/dtype.h"
#include "common/tensor/safetensors.h"

namespace meanfield::corpus {
namespace {

template <typename T>
TensorView View(std::string_view name, const std::vector<T>& values) {
  return {.spec = {.name = std::string(name),
                   .dtype = DTypeOf<T>(),
                   .shape = {static_cast<int64_t>(values.size())}},
          .bytes = std::as_bytes(std::span(values))};
}

}  // namespace

absl::StatusOr<Blob> WriteShard(const ShardTensors& tensors,
                                ShardTargets targets, Durability durability,
                                BlobStore& blobs) {
  std::vector<TensorView> views = {View("ids", tensors.ids),
                                   View("offsets", tensors.offsets)};
  if (targets == ShardTargets::kLabels) {
    views.push_back(View("labels", tensors.labels));
  } else if (targets == ShardTargets::kTags) {
    views.push_back(View("tags", tensors.tags));
  }
  const std::string path = blobs.NewTemporary();
  absl::Cleanup remove = [&path] { std::remove(path.c_str()); };
  MEANFIELD_RETURN_IF_ERROR(WriteSafetensors(path, views));
  MEANFIELD_ASSIGN_OR_RETURN(Blob blob, blobs.Adopt(path, durability));
  std::move(remove).Cancel();
  return blob;
}

}  // namespace meanfield::corpus
