#include "coordinator/driver/blob_refs.h"

namespace meanfield::driver {

Blob OwnBlob(const proto::BlobRef& ref) {
  return Blob{.id = ref.id(), .size = ref.size()};
}

std::vector<Blob> BlobsOf(const proto::Unit& unit) {
  std::vector<Blob> blobs;
  if (unit.has_model_config()) blobs.push_back(OwnBlob(unit.model_config()));
  if (unit.has_training_config()) {
    blobs.push_back(OwnBlob(unit.training_config()));
  }
  if (unit.has_model()) blobs.push_back(OwnBlob(unit.model()));
  for (const proto::BlobRef& ref : unit.frozen()) blobs.push_back(OwnBlob(ref));
  for (const proto::BlobRef& ref : unit.given()) blobs.push_back(OwnBlob(ref));
  if (unit.has_data()) blobs.push_back(OwnBlob(unit.data()));
  return blobs;
}

}  // namespace meanfield::driver
