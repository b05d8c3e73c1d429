#ifndef MEANFIELD_COORDINATOR_SERVICE_READ_BLOB_H_
#define MEANFIELD_COORDINATOR_SERVICE_READ_BLOB_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/rpc/chunk.h"
#include "coordinator/service/call_environment.h"
#include "coordinator/service/transfer_watch.h"
#include "grpcpp/support/server_callback.h"
#include "proto/coordinator.pb.h"

namespace meanfield::service {

// Sends a blob, one chunk in memory at a time. Deletes itself.
class ReadBlob : public grpc::ServerWriteReactor<proto::BlobChunk> {
 public:
  // What is sent, from which byte on. `find` gives the file, or why the caller
  // may not have it; it runs on an io thread.
  struct Source {
    std::string id;
    uint64_t offset = 0;
    std::function<absl::StatusOr<std::string>()> find;
  };
  ReadBlob(CallEnvironment& environment, grpc::CallbackServerContext* context,
           Source source);

  void OnWriteDone(bool ok) override;
  void OnDone() override { delete this; }

 private:
  // Both on an io thread.
  absl::Status Open();
  void SendNext();

  CallEnvironment& environment_;
  const Source source_;
  TransferWatch watch_;
  std::optional<rpc::ChunkReader> reader_;
  uint64_t offset_;
  proto::BlobChunk chunk_;
};

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_READ_BLOB_H_
