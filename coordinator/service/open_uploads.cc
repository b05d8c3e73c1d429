#include "coordinator/service/open_uploads.h"

namespace meanfield::service {

absl::Status OpenUploads::Claim(const std::string& path,
                                grpc::CallbackServerContext* holder) {
  const MutexLock lock(mutex_);
  const auto [entry, fresh] = holders_.try_emplace(path, holder);
  if (fresh) return absl::OkStatus();
  entry->second->TryCancel();
  return absl::AbortedError(
      "an earlier stream of this output was still open; it is being cancelled, "
      "try again");
}

void OpenUploads::Release(const std::string& path,
                          grpc::CallbackServerContext* holder) {
  const MutexLock lock(mutex_);
  const auto entry = holders_.find(path);
  if (entry != holders_.end() && entry->second == holder) holders_.erase(entry);
}

}  // namespace meanfield::service
