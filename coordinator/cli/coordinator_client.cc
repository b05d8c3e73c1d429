#include "coordinator/cli/coordinator_client.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/status.h"
#include "common/rpc/address.h"
#include "common/rpc/channel.h"
#include "common/rpc/chunk.h"
#include "common/rpc/grpc_status.h"
#include "grpcpp/client_context.h"

namespace meanfield::cli {

namespace {

// A coordinator that is alive answers within it, however busy.
constexpr absl::Duration kAnswerLimit = absl::Seconds(30);
// A coordinator that was started a moment before listens within it.
constexpr absl::Duration kStartLimit = absl::Seconds(5);
// What is longer is no run's id and no reason that a person typed.
constexpr size_t kMaxTextBytes = 4096;

absl::Status Translate(const grpc::Status& status, const std::string& address) {
  if (status.ok()) return absl::OkStatus();
  std::string context = absl::StrCat("coordinator ", address);
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE ||
      status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
    absl::StrAppend(&context,
                    " cannot be reached (is meanfield-coordinator running "
                    "there? --coordinator names another one)");
  }
  return Annotate(rpc::FromGrpcStatus(status), context);
}

// Fields of type string hold UTF-8 only.
std::string Text(const std::string& text) {
  return rpc::Utf8Prefix(text, kMaxTextBytes);
}

}  // namespace

absl::StatusOr<std::unique_ptr<CoordinatorClient>> CoordinatorClient::Create(
    const std::string& address) {
  MEANFIELD_ASSIGN_OR_RETURN(const rpc::Address parsed,
                             rpc::ParseAddress(address));
  rpc::RouteGrpcLog();
  return std::unique_ptr<CoordinatorClient>(
      new CoordinatorClient(rpc::ToString(parsed)));
}

// One that is just starting is waited for; whether it came the first call says.
CoordinatorClient::CoordinatorClient(const std::string& address)
    : address_(address) {
  const std::shared_ptr<grpc::Channel> channel = rpc::MakeChannel(address);
  channel->WaitForConnected(rpc::After(kStartLimit));
  stub_ = proto::Coordinator::NewStub(channel);
}

absl::StatusOr<std::string> CoordinatorClient::Submit(
    const proto::SubmitRequest& request) {
  grpc::ClientContext context;
  context.set_deadline(rpc::After(kAnswerLimit));
  proto::SubmitResponse response;
  MEANFIELD_RETURN_IF_ERROR(
      Translate(stub_->Submit(&context, request, &response), address_));
  return response.run();
}

absl::StatusOr<proto::ListRunsResponse> CoordinatorClient::ListRuns() {
  grpc::ClientContext context;
  context.set_deadline(rpc::After(kAnswerLimit));
  proto::ListRunsResponse response;
  MEANFIELD_RETURN_IF_ERROR(
      Translate(stub_->ListRuns(&context, {}, &response), address_));
  return response;
}

absl::StatusOr<proto::ListWorkersResponse> CoordinatorClient::ListWorkers() {
  grpc::ClientContext context;
  context.set_deadline(rpc::After(kAnswerLimit));
  proto::ListWorkersResponse response;
  MEANFIELD_RETURN_IF_ERROR(
      Translate(stub_->ListWorkers(&context, {}, &response), address_));
  return response;
}

absl::StatusOr<proto::RunDetails> CoordinatorClient::GetRun(
    const std::string& run) {
  grpc::ClientContext context;
  context.set_deadline(rpc::After(kAnswerLimit));
  proto::GetRunRequest request;
  request.set_run(Text(run));
  proto::RunDetails response;
  MEANFIELD_RETURN_IF_ERROR(
      Translate(stub_->GetRun(&context, request, &response), address_));
  return response;
}

absl::Status CoordinatorClient::Cancel(const std::string& run,
                                       const std::string& reason) {
  grpc::ClientContext context;
  context.set_deadline(rpc::After(kAnswerLimit));
  proto::CancelRequest request;
  request.set_run(Text(run));
  request.set_reason(Text(reason));
  proto::CancelResponse response;
  return Translate(stub_->Cancel(&context, request, &response), address_);
}

absl::Status CoordinatorClient::ReadRunBlob(const std::string& run,
                                            const Blob& blob,
                                            const std::string& path) {
  MEANFIELD_ASSIGN_OR_RETURN(rpc::ChunkWriter writer,
                             rpc::ChunkWriter::Open(path, blob.size));
  grpc::ClientContext context;  // No deadline: models take their time.
  proto::ReadRunBlobRequest request;
  request.set_run(Text(run));
  request.set_id(blob.id);
  request.set_offset(writer.received());
  const auto reader = stub_->ReadRunBlob(&context, request);
  proto::BlobChunk chunk;
  while (reader->Read(&chunk)) {
    if (const absl::Status status = writer.Append(chunk); !status.ok()) {
      context.TryCancel();
      return status;
    }
  }
  MEANFIELD_RETURN_IF_ERROR(Translate(reader->Finish(), address_));
  if (writer.complete()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("blob ", blob.id, " ended after ",
                                          writer.received(), " of ", blob.size,
                                          " bytes"));
}

absl::Status CoordinatorClient::Watch(
    const std::string& run,
    const std::function<void(const proto::RunEvent&)>& show) {
  grpc::ClientContext context;  // No deadline: a run takes its time.
  {
    const MutexLock lock(mutex_);
    if (stopped_) return absl::CancelledError("interrupted");
    watching_ = &context;
  }
  proto::WatchRequest request;
  request.set_run(Text(run));
  const auto reader = stub_->Watch(&context, request);
  proto::RunEvent event;
  bool ended = false;
  while (reader->Read(&event)) {
    show(event);
    ended = ended || event.has_ended();
  }
  const grpc::Status status = reader->Finish();
  {
    const MutexLock lock(mutex_);
    watching_ = nullptr;
    if (stopped_) return absl::CancelledError("interrupted");
  }
  if (ended) return absl::OkStatus();
  if (!status.ok()) return Translate(status, address_);
  return absl::UnavailableError(absl::StrCat(
      "coordinator ", address_, " went away; the run may go on: watch again"));
}

void CoordinatorClient::StopWatching() {
  const MutexLock lock(mutex_);
  stopped_ = true;
  if (watching_ != nullptr) watching_->TryCancel();
}

}  // namespace meanfield::cli
