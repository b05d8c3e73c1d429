#ifndef MEANFIELD_COORDINATOR_DRIVER_BLOB_REFS_H_
#define MEANFIELD_COORDINATOR_DRIVER_BLOB_REFS_H_

#include <vector>

#include "common/blob/blob_store.h"
#include "proto/plan.pb.h"

namespace meanfield::driver {

// References that the coordinator itself made; others go through
// common/convert, which checks them.
Blob OwnBlob(const proto::BlobRef& ref);
// All that a unit names, model and data included.
std::vector<Blob> BlobsOf(const proto::Unit& unit);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_BLOB_REFS_H_
