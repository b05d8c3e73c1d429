#ifndef MEANFIELD_WORKER_RUNTIME_UPLOAD_H_
#define MEANFIELD_WORKER_RUNTIME_UPLOAD_H_

#include <cstdint>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "proto/plan.pb.h"
#include "worker/runtime/connection.h"

namespace meanfield {

// Sends the file at `path` as the output of a lease and has it sealed; goes on
// where a broken stream ended. NOT_FOUND: the coordinator knows no such lease
// (any more). CANCELLED when stopped.
absl::Status Upload(Connection& connection, uint64_t lease,
                    const proto::BlobRef& output, const std::string& path,
                    std::stop_token stop);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_UPLOAD_H_
