#ifndef MEANFIELD_COMMON_CONVERT_CONVERT_H_
#define MEANFIELD_COMMON_CONVERT_CONVERT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "common/tensor/tensor_spec.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "proto/plan.pb.h"

namespace meanfield {

// Messages to plain structs and back. What comes from outside is checked:
// INVALID_ARGUMENT names the field.
proto::BlobRef ToProto(const Blob& blob);
absl::StatusOr<Blob> FromProto(const proto::BlobRef& blob);

proto::TensorSpec ToProto(const TensorSpec& spec);
absl::StatusOr<TensorSpec> FromProto(const proto::TensorSpec& spec);
absl::StatusOr<std::vector<TensorSpec>> FromProto(
    const google::protobuf::RepeatedPtrField<proto::TensorSpec>& specs);

// "r3/ner/train/shard 2", "r3/ner/evaluate dev best/shard 0": for messages and
// file names (with '/' as '-'). Different for different units of one run.
std::string UnitName(const proto::UnitKey& key);

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_CONVERT_CONVERT_H_
