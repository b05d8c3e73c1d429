#ifndef MEANFIELD_WORKER_RUNTIME_PARENT_H_
#define MEANFIELD_WORKER_RUNTIME_PARENT_H_

#include <cstdint>

#include "absl/status/status.h"

namespace meanfield {

// Ties this process to the one that started it: SIGTERM comes when that ends,
// however it ends. UNAVAILABLE where it has ended already (this process then
// has another parent than `pid`).
absl::Status EndWithParent(int64_t pid);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_PARENT_H_
