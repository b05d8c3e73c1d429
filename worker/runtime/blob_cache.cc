#include "worker/runtime/blob_cache.h"

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/convert/convert.h"
#include "common/rpc/chunk.h"
#include "common/rpc/grpc_status.h"

namespace meanfield {
namespace {

constexpr size_t kModelsKept = 2;

// One stream, from what the writer holds to the end or the first fault.
absl::Status ReceiveOnce(Connection& connection, const std::string& token,
                         const Blob& blob, rpc::ChunkWriter& writer,
                         std::stop_token stop) {
  proto::ReadBlobRequest request;
  request.set_session_token(token);
  request.set_id(blob.id);
  request.set_offset(writer.received());
  const auto stub = connection.stub();
  grpc::ClientContext context;
  const std::stop_callback cancel(stop, [&] { context.TryCancel(); });
  const auto stream = stub->ReadBlob(&context, request);
  proto::BlobChunk chunk;
  absl::Status appended;
  while (appended.ok() && stream->Read(&chunk)) appended = writer.Append(chunk);
  if (!appended.ok()) context.TryCancel();
  const absl::Status ended = rpc::FromGrpcStatus(stream->Finish());
  if (!appended.ok()) return appended;
  MEANFIELD_RETURN_IF_ERROR(ended);
  if (writer.complete()) return absl::OkStatus();
  return absl::DataLossError(StrCat("the stream ended after ",
                                    writer.received(), " of ", blob.size,
                                    " bytes"));
}

}  // namespace

absl::StatusOr<BlobCache> BlobCache::Open(const std::string& folder,
                                          uint64_t max_bytes,
                                          Connection& connection) {
  MEANFIELD_ASSIGN_OR_RETURN(BlobStore store, BlobStore::Open(folder));
  return BlobCache(std::move(store), max_bytes, connection);
}

absl::StatusOr<std::string> BlobCache::Fetch(const proto::BlobRef& reference,
                                             std::stop_token stop) {
  MEANFIELD_ASSIGN_OR_RETURN(const Blob blob, FromProto(reference));
  if (!store_.Contains(blob)) {
    const std::string path = store_.NewTemporary();
    const absl::Status status = Download(blob, path, std::move(stop));
    if (!status.ok()) {
      std::error_code gone;  // after a wrong hash, or before the first byte
      std::filesystem::remove(path, gone);
      return Annotate(status, StrCat("fetch blob ", blob.id));
    }
  }
  Touch(blob);
  return store_.Path(blob);
}

absl::Status BlobCache::Download(const Blob& blob, const std::string& path,
                                 std::stop_token stop) {
  return connection_->Retry(stop, [&](const std::string& token) {
    {
      MEANFIELD_ASSIGN_OR_RETURN(rpc::ChunkWriter writer,
                                 rpc::ChunkWriter::Open(path, blob.size));
      MEANFIELD_RETURN_IF_ERROR(
          ReceiveOnce(*connection_, token, blob, writer, stop));
    }
    const absl::Status adopted =
        store_.AdoptAs(blob, path, Durability::kCached);
    if (!adopted.ok()) {
      std::error_code gone;
      std::filesystem::remove(path, gone);
    }
    return adopted;
  });
}

absl::StatusOr<std::string> BlobCache::FetchModel(const proto::BlobRef& blob,
                                                  std::stop_token stop) {
  MEANFIELD_ASSIGN_OR_RETURN(std::string path, Fetch(blob, std::move(stop)));
  const Blob model{.id = blob.id(), .size = blob.size()};
  std::erase(models_, model);
  models_.push_back(model);
  if (models_.size() > kModelsKept) {
    Drop(models_.front());
    models_.pop_front();
  }
  return path;
}

absl::StatusOr<std::string> BlobCache::FetchText(const proto::BlobRef& blob,
                                                 std::stop_token stop) {
  MEANFIELD_RETURN_IF_ERROR(Fetch(blob, std::move(stop)).status());
  return store_.Read({.id = blob.id(), .size = blob.size()});
}

void BlobCache::Touch(const Blob& blob) {
  std::erase(used_, blob);
  used_.push_back(blob);
}

void BlobCache::Trim() {
  uint64_t bytes = 0;
  for (const Blob& blob : used_) bytes += blob.size;
  while (bytes > max_bytes_ && !used_.empty()) {
    const Blob oldest = used_.front();
    bytes -= oldest.size;
    Drop(oldest);
  }
}

void BlobCache::Drop(const Blob& blob) {
  if (const absl::Status status = store_.Remove(blob); !status.ok()) {
    Log(LogLevel::kWarning, "cache_remove_failed",
        {{"reason", status.ToString()}});
  }
  std::erase(used_, blob);
}

}  // namespace meanfield
