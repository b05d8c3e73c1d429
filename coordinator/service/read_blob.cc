#include "coordinator/service/read_blob.h"

#include <utility>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/rpc/grpc_status.h"

namespace meanfield::service {

ReadBlob::ReadBlob(CallEnvironment& environment,
                   grpc::CallbackServerContext* context, Source source)
    : environment_(environment),
      source_(std::move(source)),
      watch_(environment, context),
      offset_(source_.offset) {
  environment_.io.Post([this] {
    if (const absl::Status status = Open(); !status.ok()) {
      Finish(rpc::ToGrpcStatus(status));
    } else {
      SendNext();
    }
  });
}

absl::Status ReadBlob::Open() {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string path, source_.find());
  MEANFIELD_ASSIGN_OR_RETURN(reader_, rpc::ChunkReader::Open(path));
  if (offset_ > reader_->size()) {
    return absl::OutOfRangeError(StrCat("blob ", source_.id,
                                        " was asked for from byte ", offset_,
                                        " on, but has ", reader_->size()));
  }
  return absl::OkStatus();
}

void ReadBlob::SendNext() {
  absl::Status status = watch_.drained().value_or(absl::OkStatus());
  const bool at_end = offset_ == reader_->size();
  if (status.ok() && !at_end) status = reader_->Read(offset_, chunk_);
  if (!status.ok() || at_end) {
    Finish(rpc::ToGrpcStatus(status));
    return;
  }
  offset_ += chunk_.data().size();
  watch_.PeerTurn();
  StartWrite(&chunk_);
}

void ReadBlob::OnWriteDone(bool ok) {
  watch_.OwnTurn();
  if (ok) {
    environment_.io.Post([this] { SendNext(); });
  } else {
    Finish(rpc::ToGrpcStatus(
        watch_.drained().value_or(absl::CancelledError("nobody reads"))));
  }
}

}  // namespace meanfield::service
