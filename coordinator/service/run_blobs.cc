#include "coordinator/service/run_blobs.h"

#include <optional>
#include <vector>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "proto/event.pb.h"
#include "proto/plan.pb.h"

namespace meanfield::service {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// The first reference with this id anywhere in the message.
std::optional<Blob> FindRef(const Message& message, const std::string& id) {
  if (const auto* ref = dynamic_cast<const proto::BlobRef*>(&message)) {
    if (ref->id() != id) return std::nullopt;
    return Blob{.id = ref->id(), .size = ref->size()};
  }
  const auto& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int size =
        field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < size; ++i) {
      const std::optional<Blob> found =
          FindRef(field->is_repeated()
                      ? reflection.GetRepeatedMessage(message, field, i)
                      : reflection.GetMessage(message, field),
                  id);
      if (found.has_value()) return found;
    }
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::string> PathOfRunBlob(const store::RunStore& store,
                                          const std::string& run,
                                          const std::string& id) {
  MEANFIELD_ASSIGN_OR_RETURN(const proto::RunDetails details, store.Load(run));
  const std::optional<Blob> blob = FindRef(details, id);
  if (!blob.has_value()) {
    return absl::NotFoundError(
        StrCat("the records of run ", run, " name no blob \"", id, "\""));
  }
  return store.blobs().Path(*blob);
}

}  // namespace meanfield::service
