#ifndef MEANFIELD_WORKER_RUNTIME_BLOB_CACHE_H_
#define MEANFIELD_WORKER_RUNTIME_BLOB_CACHE_H_

#include <cstdint>
#include <deque>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "proto/plan.pb.h"
#include "worker/runtime/connection.h"

namespace meanfield {

// The blobs that units name, fetched from the coordinator and kept: what was
// used last, up to a size, but of models the last two only, as an old one never
// comes again. By the main thread only.
class BlobCache {
 public:
  static absl::StatusOr<BlobCache> Open(const std::string& folder,
                                        uint64_t max_bytes,
                                        Connection& connection);

  // Where the blob is, fetched where it was not here and checked against its
  // hash. Goes on where a broken fetch ended. CANCELLED when stopped.
  absl::StatusOr<std::string> Fetch(const proto::BlobRef& blob,
                                    std::stop_token stop);
  // The same for a model.
  absl::StatusOr<std::string> FetchModel(const proto::BlobRef& blob,
                                         std::stop_token stop);
  // The whole text of a small blob.
  absl::StatusOr<std::string> FetchText(const proto::BlobRef& blob,
                                        std::stop_token stop);
  // Removes what has not been used for longest, to the size limit. What the
  // next unit names may go: call it between units.
  void Trim();

 private:
  BlobCache(BlobStore store, uint64_t max_bytes, Connection& connection)
      : store_(std::move(store)),
        max_bytes_(max_bytes),
        connection_(&connection) {}
  absl::Status Download(const Blob& blob, const std::string& path,
                        std::stop_token stop);
  void Touch(const Blob& blob);
  void Drop(const Blob& blob);

  BlobStore store_;
  uint64_t max_bytes_;
  Connection* connection_;
  std::deque<Blob> used_;    // newest last; each once
  std::deque<Blob> models_;  // newest last; each once
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_BLOB_CACHE_H_
