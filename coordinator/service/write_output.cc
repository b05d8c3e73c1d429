#include "coordinator/service/write_output.h"

#include <filesystem>
#include <system_error>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/convert/convert.h"
#include "common/rpc/grpc_status.h"

namespace meanfield::service {
namespace {

// 0 where there is no file yet.
uint64_t FileSize(const std::string& path) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

}  // namespace

absl::StatusOr<uint64_t> HeldBytes(driver::WorkerSessions& sessions,
                                   const proto::QueryUploadRequest& request) {
  MEANFIELD_RETURN_IF_ERROR(FromProto(request.output()).status());
  MEANFIELD_ASSIGN_OR_RETURN(
      const std::string path,
      sessions.UploadPath(request.session_token(), request.lease(),
                          request.output()));
  const uint64_t size = FileSize(path);
  return size <= request.output().size() ? size : 0;
}

WriteOutput::WriteOutput(CallEnvironment& environment,
                         grpc::CallbackServerContext* context,
                         proto::WriteOutputResponse* response)
    : environment_(environment),
      context_(context),
      response_(response),
      watch_(environment, context) {
  ReadNext();
}

void WriteOutput::ReadNext() {
  if (const auto why = watch_.drained()) {
    End(*why);
    return;
  }
  watch_.PeerTurn();
  StartRead(&in_);
}

void WriteOutput::OnReadDone(bool ok) {
  watch_.OwnTurn();
  if (ok) {
    environment_.io.Post([this] { Handle(); });
  } else if (context_->IsCancelled()) {
    End(watch_.drained().value_or(absl::CancelledError("the stream broke")));
  } else {
    environment_.io.Post([this] { HandleEnd(); });
  }
}

void WriteOutput::Handle() {
  if (const absl::Status status = Process(); status.ok()) {
    ReadNext();
  } else {
    End(status);
  }
}

absl::Status WriteOutput::Process() {
  if (in_.has_start()) {
    return start_.has_value()
               ? absl::InvalidArgumentError("a second Start on one stream")
               : Start(in_.start());
  }
  if (!start_.has_value() || !in_.has_chunk()) {
    return absl::InvalidArgumentError(
        "an output is a Start, then chunks; something else came");
  }
  if (!writer_.has_value()) {
    return absl::OutOfRangeError(
        StrCat("all ", start_->output().size(),
               " bytes were held before this chunk came"));
  }
  return writer_->Append(in_.chunk());
}

absl::Status WriteOutput::Start(const proto::WriteOutputRequest::Start& start) {
  MEANFIELD_ASSIGN_OR_RETURN(const Blob output, FromProto(start.output()));
  MEANFIELD_ASSIGN_OR_RETURN(
      const std::string path,
      environment_.sessions.UploadPath(start.session_token(), start.lease(),
                                       start.output()));
  MEANFIELD_RETURN_IF_ERROR(environment_.uploads.Claim(path, context_));
  path_ = path;
  uint64_t held = FileSize(path);
  if (held != output.size || held == 0) {
    MEANFIELD_ASSIGN_OR_RETURN(writer_,
                               rpc::ChunkWriter::Open(path, output.size));
    held = writer_->received();
  }
  if (start.offset() != held) {
    return absl::AbortedError(
        StrCat("the output would go on at byte ", start.offset(), ", but ",
               held, " bytes are held; ask QueryUpload where to go on"));
  }
  start_ = start;
  return absl::OkStatus();
}

void WriteOutput::HandleEnd() {
  if (!start_.has_value()) {
    End(absl::InvalidArgumentError("the stream ended before Start"));
    return;
  }
  if (writer_.has_value() && !writer_->complete()) {
    response_->set_received(writer_->received());
    End(absl::OkStatus());
    return;
  }
  response_->set_received(start_->output().size());
  End(Seal());
}

absl::Status WriteOutput::Seal() {
  writer_.reset();  // closed before anybody else reads it
  return environment_.sessions.SealUpload(start_->session_token(),
                                          start_->lease(), start_->output());
}

void WriteOutput::End(const absl::Status& status) {
  writer_.reset();
  if (!path_.empty()) environment_.uploads.Release(path_, context_);
  Finish(rpc::ToGrpcStatus(status));
}

}  // namespace meanfield::service
