#ifndef MEANFIELD_COORDINATOR_SERVICE_COORDINATOR_SERVICE_H_
#define MEANFIELD_COORDINATOR_SERVICE_COORDINATOR_SERVICE_H_

#include "coordinator/service/call_environment.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/server_callback.h"
#include "proto/coordinator.grpc.pb.h"

namespace meanfield::service {

// Makes the reactor of each call. Unary calls run on io threads.
class CoordinatorService : public proto::Coordinator::CallbackService {
 public:
  explicit CoordinatorService(CallEnvironment& environment)
      : environment_(environment) {}

  grpc::ServerBidiReactor<proto::WorkerMessage, proto::CoordinatorMessage>*
  Work(grpc::CallbackServerContext* context) override;
  grpc::ServerWriteReactor<proto::BlobChunk>* ReadBlob(
      grpc::CallbackServerContext* context,
      const proto::ReadBlobRequest* request) override;
  grpc::ServerReadReactor<proto::WriteOutputRequest>* WriteOutput(
      grpc::CallbackServerContext* context,
      proto::WriteOutputResponse* response) override;
  grpc::ServerUnaryReactor* QueryUpload(
      grpc::CallbackServerContext* context,
      const proto::QueryUploadRequest* request,
      proto::QueryUploadResponse* response) override;

  grpc::ServerUnaryReactor* Submit(grpc::CallbackServerContext* context,
                                   const proto::SubmitRequest* request,
                                   proto::SubmitResponse* response) override;
  grpc::ServerWriteReactor<proto::RunEvent>* Watch(
      grpc::CallbackServerContext* context,
      const proto::WatchRequest* request) override;
  grpc::ServerUnaryReactor* GetRun(grpc::CallbackServerContext* context,
                                   const proto::GetRunRequest* request,
                                   proto::RunDetails* response) override;
  grpc::ServerUnaryReactor* ListRuns(
      grpc::CallbackServerContext* context,
      const proto::ListRunsRequest* request,
      proto::ListRunsResponse* response) override;
  grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* context,
                                   const proto::CancelRequest* request,
                                   proto::CancelResponse* response) override;
  grpc::ServerWriteReactor<proto::BlobChunk>* ReadRunBlob(
      grpc::CallbackServerContext* context,
      const proto::ReadRunBlobRequest* request) override;
  grpc::ServerUnaryReactor* ListWorkers(
      grpc::CallbackServerContext* context,
      const proto::ListWorkersRequest* request,
      proto::ListWorkersResponse* response) override;

 private:
  CallEnvironment& environment_;
};

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_COORDINATOR_SERVICE_H_
