#ifndef MEANFIELD_COORDINATOR_SERVICE_WRITE_OUTPUT_H_
#define MEANFIELD_COORDINATOR_SERVICE_WRITE_OUTPUT_H_

#include <cstdint>
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

// Bytes of this output that are held.
absl::StatusOr<uint64_t> HeldBytes(driver::WorkerSessions& sessions,
                                   const proto::QueryUploadRequest& request);

// Receives the output of a unit, one chunk in memory at a time, and seals it
// when it is complete. Deletes itself.
class WriteOutput : public grpc::ServerReadReactor<proto::WriteOutputRequest> {
 public:
  WriteOutput(CallEnvironment& environment,
              grpc::CallbackServerContext* context,
              proto::WriteOutputResponse* response);

  void OnReadDone(bool ok) override;
  void OnDone() override { delete this; }

 private:
  // On io threads.
  void Handle();
  void HandleEnd();
  absl::Status Process();
  absl::Status Start(const proto::WriteOutputRequest::Start& start);
  absl::Status Seal();

  void ReadNext();
  void End(const absl::Status& status);

  CallEnvironment& environment_;
  grpc::CallbackServerContext* const context_;
  proto::WriteOutputResponse* const response_;
  TransferWatch watch_;
  proto::WriteOutputRequest in_;
  // Of the first message.
  std::optional<proto::WriteOutputRequest::Start> start_;
  std::string path_;  // claimed
  // Absent where the file was complete before.
  std::optional<rpc::ChunkWriter> writer_;
};

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_WRITE_OUTPUT_H_
