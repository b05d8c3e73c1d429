#include "coordinator/service/coordinator_service.h"

#include <memory>
#include <utility>

#include "common/base/status.h"
#include "common/rpc/grpc_status.h"
#include "coordinator/service/read_blob.h"
#include "coordinator/service/run_blobs.h"
#include "coordinator/service/run_summaries.h"
#include "coordinator/service/watch_stream.h"
#include "coordinator/service/work_stream.h"
#include "coordinator/service/write_output.h"

namespace meanfield::service {
namespace {

// Answers a unary call with what `work` returns, from an io thread.
template <typename Work>
grpc::ServerUnaryReactor* OnIo(IoThreads& io,
                               grpc::CallbackServerContext* context,
                               Work work) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  io.Post([reactor, work = std::move(work)]() mutable {
    reactor->Finish(rpc::ToGrpcStatus(work()));
  });
  return reactor;
}

absl::Status SubmitRun(driver::Runs& runs, const proto::SubmitRequest& request,
                       proto::SubmitResponse& response) {
  job::JobSource source;
  source.text = request.job_text();
  source.path = request.job_path();
  source.overrides.assign(request.overrides().begin(),
                          request.overrides().end());
  if (request.default_shards() > 0) {
    source.default_shards = request.default_shards();
  }
  source.corpus_root = request.corpus_root();
  MEANFIELD_ASSIGN_OR_RETURN(const std::string run, runs.Submit(source));
  response.set_run(run);
  return absl::OkStatus();
}

void Describe(const driver::WorkerView& view,
              proto::ListWorkersResponse::Worker& worker) {
  worker.set_name(view.identity.name);
  worker.set_device(view.identity.device);
  worker.set_numerics_class(view.identity.numerics_class);
  worker.set_host(view.identity.host);
  worker.set_pid(view.identity.pid);
  worker.set_connected_s(absl::ToDoubleSeconds(view.connected));
  worker.set_units_done(view.units_done);
  worker.set_unit(view.unit);
  worker.set_unit_s(absl::ToDoubleSeconds(view.unit_time));
  worker.set_steps_done(view.steps_done);
}

}  // namespace

grpc::ServerBidiReactor<proto::WorkerMessage, proto::CoordinatorMessage>*
CoordinatorService::Work(grpc::CallbackServerContext* context) {
  const auto stream = std::make_shared<WorkStream>(environment_, context);
  stream->Begin();
  return stream.get();
}

grpc::ServerWriteReactor<proto::BlobChunk>* CoordinatorService::ReadBlob(
    grpc::CallbackServerContext* context,
    const proto::ReadBlobRequest* request) {
  return new service::ReadBlob(
      environment_, context,
      {.id = request->id(),
       .offset = request->offset(),
       .find = [this, token = request->session_token(), id = request->id()] {
         return environment_.sessions.ReadableBlob(token, id);
       }});
}

grpc::ServerReadReactor<proto::WriteOutputRequest>*
CoordinatorService::WriteOutput(grpc::CallbackServerContext* context,
                                proto::WriteOutputResponse* response) {
  return new service::WriteOutput(environment_, context, response);
}

grpc::ServerUnaryReactor* CoordinatorService::QueryUpload(
    grpc::CallbackServerContext* context,
    const proto::QueryUploadRequest* request,
    proto::QueryUploadResponse* response) {
  return OnIo(environment_.io, context, [this, request, response] {
    const absl::StatusOr<uint64_t> held =
        HeldBytes(environment_.sessions, *request);
    if (held.ok()) response->set_offset(*held);
    return held.status();
  });
}

grpc::ServerUnaryReactor* CoordinatorService::Submit(
    grpc::CallbackServerContext* context, const proto::SubmitRequest* request,
    proto::SubmitResponse* response) {
  return OnIo(environment_.io, context, [this, request, response] {
    return SubmitRun(environment_.runs, *request, *response);
  });
}

grpc::ServerWriteReactor<proto::RunEvent>* CoordinatorService::Watch(
    grpc::CallbackServerContext* /*context*/,
    const proto::WatchRequest* request) {
  const auto stream = std::make_shared<WatchStream>(environment_, *request);
  stream->Begin();
  return stream.get();
}

grpc::ServerUnaryReactor* CoordinatorService::GetRun(
    grpc::CallbackServerContext* context, const proto::GetRunRequest* request,
    proto::RunDetails* response) {
  return OnIo(environment_.io, context, [this, request, response] {
    absl::StatusOr<proto::RunDetails> details =
        environment_.runs.store().Load(request->run());
    if (!details.ok()) return details.status();
    *response = *std::move(details);
    return FitIntoMessage(*response);
  });
}

grpc::ServerUnaryReactor* CoordinatorService::ListRuns(
    grpc::CallbackServerContext* context,
    const proto::ListRunsRequest* /*request*/,
    proto::ListRunsResponse* response) {
  return OnIo(environment_.io, context, [this, response] {
    return SummariseRuns(environment_.runs.store(), *response);
  });
}

grpc::ServerUnaryReactor* CoordinatorService::Cancel(
    grpc::CallbackServerContext* context, const proto::CancelRequest* request,
    proto::CancelResponse* /*response*/) {
  return OnIo(environment_.io, context, [this, request] {
    return environment_.runs.Cancel(request->run(), request->reason());
  });
}

grpc::ServerWriteReactor<proto::BlobChunk>* CoordinatorService::ReadRunBlob(
    grpc::CallbackServerContext* context,
    const proto::ReadRunBlobRequest* request) {
  return new service::ReadBlob(
      environment_, context,
      {.id = request->id(),
       .offset = request->offset(),
       .find = [this, run = request->run(), id = request->id()] {
         return PathOfRunBlob(environment_.runs.store(), run, id);
       }});
}

grpc::ServerUnaryReactor* CoordinatorService::ListWorkers(
    grpc::CallbackServerContext* context,
    const proto::ListWorkersRequest* /*request*/,
    proto::ListWorkersResponse* response) {
  return OnIo(environment_.io, context, [this, response] {
    for (const driver::WorkerView& view : environment_.runs.Workers()) {
      Describe(view, *response->add_workers());
    }
    return absl::OkStatus();
  });
}

}  // namespace meanfield::service
