#include "worker/runtime/upload.h"

#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/rpc/chunk.h"
#include "common/rpc/grpc_status.h"

namespace meanfield {
namespace {

absl::StatusOr<uint64_t> QueryOffset(Connection& connection,
                                     const std::string& token, uint64_t lease,
                                     const proto::BlobRef& output,
                                     std::stop_token stop) {
  proto::QueryUploadRequest request;
  request.set_session_token(token);
  request.set_lease(lease);
  *request.mutable_output() = output;
  grpc::ClientContext context;
  const std::stop_callback cancel(stop, [&] { context.TryCancel(); });
  proto::QueryUploadResponse response;
  MEANFIELD_RETURN_IF_ERROR(rpc::FromGrpcStatus(
      connection.stub()->QueryUpload(&context, request, &response)));
  return response.offset();
}

absl::Status SendOnce(Connection& connection, const std::string& token,
                      uint64_t lease, const proto::BlobRef& output,
                      const rpc::ChunkReader& file, std::stop_token stop) {
  MEANFIELD_ASSIGN_OR_RETURN(
      uint64_t offset, QueryOffset(connection, token, lease, output, stop));
  const auto stub = connection.stub();
  grpc::ClientContext context;
  const std::stop_callback cancel(stop, [&] { context.TryCancel(); });
  proto::WriteOutputResponse response;
  const auto stream = stub->WriteOutput(&context, &response);
  proto::WriteOutputRequest request;
  request.mutable_start()->set_session_token(token);
  request.mutable_start()->set_lease(lease);
  *request.mutable_start()->mutable_output() = output;
  request.mutable_start()->set_offset(offset);
  bool open = stream->Write(request);
  absl::Status read;
  while (open && read.ok() && offset < output.size()) {
    read = file.Read(offset, *request.mutable_chunk());
    offset += request.chunk().data().size();
    if (read.ok()) open = stream->Write(request);
  }
  if (read.ok()) {
    stream->WritesDone();
  } else {
    context.TryCancel();
  }
  const absl::Status ended = rpc::FromGrpcStatus(stream->Finish());
  MEANFIELD_RETURN_IF_ERROR(read);
  MEANFIELD_RETURN_IF_ERROR(ended);
  if (response.received() == output.size()) return absl::OkStatus();
  return absl::AbortedError(StrCat("the coordinator holds ",
                                   response.received(), " of ", output.size(),
                                   " bytes"));
}

}  // namespace

absl::Status Upload(Connection& connection, uint64_t lease,
                    const proto::BlobRef& output, const std::string& path,
                    std::stop_token stop) {
  MEANFIELD_ASSIGN_OR_RETURN(const rpc::ChunkReader file,
                             rpc::ChunkReader::Open(path));
  return connection.Retry(stop, [&](const std::string& token) {
    return SendOnce(connection, token, lease, output, file, stop);
  });
}

}  // namespace meanfield
