#include "common/convert/convert.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/blob/blob_store.h"
#include "common/blob/hash.h"
#include "common/tensor/tensor_spec.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "proto/plan.pb.h"

namespace meanfield {
namespace {

proto::TensorRole ToProto(TensorRole role) {
  switch (role) {
    case TensorRole::kTrainable:
      return proto::TRAINABLE;
    case TensorRole::kBuffer:
      return proto::BUFFER;
    case TensorRole::kCounter:
      return proto::COUNTER;
    case TensorRole::kFrozen:
      return proto::FROZEN;
  }
  return proto::TENSOR_ROLE_UNSPECIFIED;
}

std::optional<TensorRole> FromProto(proto::TensorRole role) {
  switch (role) {
    case proto::TRAINABLE:
      return TensorRole::kTrainable;
    case proto::BUFFER:
      return TensorRole::kBuffer;
    case proto::COUNTER:
      return TensorRole::kCounter;
    case proto::FROZEN:
      return TensorRole::kFrozen;
    default:
      return std::nullopt;
  }
}

// Quoted for an error message, as it comes from a peer.
std::string Quote(const std::string& text) {
  return StrCat("\"", absl::Utf8SafeCEscape(text.substr(0, 200)), "\"");
}

}  // namespace

proto::BlobRef ToProto(const Blob& blob) {
  proto::BlobRef message;
  message.set_id(blob.id);
  message.set_size(blob.size);
  return message;
}

absl::StatusOr<Blob> FromProto(const proto::BlobRef& blob) {
  if (!IsBlobId(blob.id())) {
    return absl::InvalidArgumentError(
        StrCat("BlobRef.id: ", Quote(blob.id()),
               " is not a blob's name, expected xxh3-<32 hex digits>"));
  }
  return Blob{blob.id(), blob.size()};
}

proto::TensorSpec ToProto(const TensorSpec& spec) {
  proto::TensorSpec message;
  message.set_name(spec.name);
  const std::string_view dtype = DTypeName(spec.dtype);
  message.set_dtype(dtype.data(), dtype.size());
  message.mutable_shape()->Add(spec.shape.begin(), spec.shape.end());
  message.set_role(ToProto(spec.role));
  return message;
}

absl::StatusOr<TensorSpec> FromProto(const proto::TensorSpec& spec) {
  const std::optional<DType> dtype = ParseDType(spec.dtype());
  if (!dtype) {
    return absl::InvalidArgumentError(
        StrCat("TensorSpec.dtype: ", Quote(spec.dtype()), " of tensor ",
               Quote(spec.name()), " is unknown"));
  }
  const std::optional<TensorRole> role = FromProto(spec.role());
  if (!role) {
    return absl::InvalidArgumentError(
        StrCat("TensorSpec.role: ", static_cast<int>(spec.role()),
               " of tensor ", Quote(spec.name()), " is not a role"));
  }
  TensorSpec plain{.name = spec.name(),
                   .dtype = *dtype,
                   .shape = {spec.shape().begin(), spec.shape().end()},
                   .role = *role};
  const absl::Status valid = ValidateTensorSpec(plain);
  if (!valid.ok()) return Annotate(valid, "TensorSpec");
  return plain;
}

absl::StatusOr<std::vector<TensorSpec>> FromProto(
    const google::protobuf::RepeatedPtrField<proto::TensorSpec>& specs) {
  std::vector<TensorSpec> plain;
  std::unordered_set<std::string_view> names;
  for (const proto::TensorSpec& spec : specs) {
    MEANFIELD_ASSIGN_OR_RETURN(TensorSpec converted, FromProto(spec));
    if (!names.insert(spec.name()).second) {
      return absl::InvalidArgumentError(
          StrCat("TensorSpec.name: ", Quote(spec.name()), " is there twice"));
    }
    plain.push_back(std::move(converted));
  }
  return plain;
}

std::string UnitName(const proto::UnitKey& key) {
  std::string name = StrCat("r", key.round());
  if (!key.task().empty()) StrAppend(&name, "/", key.task());
  StrAppend(&name, "/",
            absl::AsciiStrToLower(proto::UnitKind_IsValid(key.kind())
                                      ? proto::UnitKind_Name(key.kind())
                                      : StrCat("kind ", int{key.kind()})));
  // A TRAIN unit is always of the global model on the training split.
  if (key.kind() == proto::EVALUATE || key.kind() == proto::PREDICT) {
    StrAppend(&name, " ", key.split(), " ", key.model());
  }
  return StrCat(name, "/shard ", key.shard());
}

}  // namespace meanfield
