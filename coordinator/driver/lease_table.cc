#include "coordinator/driver/lease_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/blob/hash.h"
#include "coordinator/driver/upload_file.h"

namespace meanfield::driver {
namespace {

absl::Status NoSuchSession() {
  return absl::UnauthenticatedError(
      "unknown session token: the stream it came from has ended; open a new "
      "one");
}

std::string PartPath(const LeaseGrant& grant, const Blob& output) {
  return absl::StrCat(grant.folder, "/", grant.stem, "-", output.id, ".part");
}

absl::Status CheckOutput(const LeaseGrant& grant, uint64_t lease,
                         const Blob& output) {
  if (!IsBlobId(output.id)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the output of lease ", lease, " has no valid name: \"",
                     output.id.substr(0, 64), "\""));
  }
  if (output.size > grant.max_output_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the output of lease ", lease, " is announced with ",
                     output.size, " bytes, more than the ",
                     grant.max_output_bytes, " that its unit allows"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status LeaseTable::AddSession(const std::string& token,
                                    const WorkerProcess& worker) {
  MutexLock lock(mutex_);
  for (auto old = sessions_.begin(); old != sessions_.end(); ++old) {
    const auto& [name, incarnation] = old->second;
    if (name != worker.first) continue;
    if (incarnation > worker.second) {
      return absl::FailedPreconditionError(absl::StrCat(
          "worker \"", name, "\" is connected as a newer process (",
          incarnation, ") than this one (", worker.second,
          "): give the workers of one device different names"));
    }
    sessions_.erase(old);
    break;
  }
  sessions_[token] = worker;
  return absl::OkStatus();
}

void LeaseTable::RemoveSession(const std::string& token) {
  MutexLock lock(mutex_);
  sessions_.erase(token);
}

void LeaseTable::Add(uint64_t lease, LeaseGrant grant) {
  MutexLock lock(mutex_);
  leases_[lease].grant = std::move(grant);
}

void LeaseTable::Remove(const std::vector<uint64_t>& leases) {
  std::vector<std::string> files;
  {
    MutexLock lock(mutex_);
    for (const uint64_t lease : leases) {
      const auto entry = leases_.find(lease);
      if (entry == leases_.end()) continue;
      const std::string path = std::move(entry->second.path);
      leases_.erase(entry);
      if (!path.empty() && !IsUsed(path)) files.push_back(path);
    }
  }
  for (const std::string& file : files) RemoveFile(file);
}

bool LeaseTable::IsUsed(const std::string& path) const {
  return std::any_of(leases_.begin(), leases_.end(), [&](const auto& entry) {
    return entry.second.path == path;
  });
}

absl::StatusOr<Blob> LeaseTable::Readable(const std::string& token,
                                          const std::string& blob_id) const {
  MutexLock lock(mutex_);
  const auto session = sessions_.find(token);
  if (session == sessions_.end()) return NoSuchSession();
  for (const auto& [lease, entry] : leases_) {
    if (entry.grant.holder != session->second) continue;
    for (const Blob& blob : entry.grant.readable) {
      if (blob.id == blob_id) return blob;
    }
  }
  return absl::PermissionDeniedError(
      absl::StrCat("no lease of worker \"", session->second.first,
                   "\" names blob \"", blob_id.substr(0, 64), "\""));
}

absl::StatusOr<LeaseTable::Entry*> LeaseTable::Find(const std::string& token,
                                                    uint64_t lease) {
  const auto session = sessions_.find(token);
  if (session == sessions_.end()) return NoSuchSession();
  const auto entry = leases_.find(lease);
  if (entry == leases_.end() || entry->second.grant.holder != session->second) {
    return absl::NotFoundError(absl::StrCat("worker \"", session->second.first,
                                            "\" holds no lease ", lease,
                                            " (any more): drop its output"));
  }
  return &entry->second;
}

absl::StatusOr<std::string> LeaseTable::UploadPath(const std::string& token,
                                                   uint64_t lease,
                                                   const Blob& output) {
  std::string stale;
  std::string path;
  {
    MutexLock lock(mutex_);
    MEANFIELD_ASSIGN_OR_RETURN(Entry * entry, Find(token, lease));
    MEANFIELD_RETURN_IF_ERROR(CheckOutput(entry->grant, lease, output));
    if (entry->output == output && !entry->path.empty()) return entry->path;
    if (entry->sealed || entry->being_sealed) {
      return absl::FailedPreconditionError(
          absl::StrCat("lease ", lease, " has a complete output already (",
                       entry->output.id, ")"));
    }
    path = PartPath(entry->grant, output);
    std::swap(stale, entry->path);
    entry->path = path;
    entry->output = output;
    if (stale == path || IsUsed(stale)) stale.clear();
  }
  if (!stale.empty()) RemoveFile(stale);
  return path;
}

absl::StatusOr<std::optional<std::string>> LeaseTable::BeginSeal(
    const std::string& token, uint64_t lease, const Blob& output) {
  MutexLock lock(mutex_);
  MEANFIELD_ASSIGN_OR_RETURN(Entry * entry, Find(token, lease));
  if (entry->path.empty() || entry->output != output) {
    return absl::FailedPreconditionError(
        absl::StrCat("no upload of ", output.id.substr(0, 64), " for lease ",
                     lease, " was begun"));
  }
  if (entry->sealed) return std::nullopt;
  if (entry->being_sealed) {
    return absl::AbortedError(absl::StrCat("the output of lease ", lease,
                                           " is being checked already"));
  }
  entry->being_sealed = true;
  return entry->path;
}

absl::Status LeaseTable::EndSeal(uint64_t lease, const std::string& sealed_path,
                                 const absl::Status& status) {
  MutexLock lock(mutex_);
  const auto entry = leases_.find(lease);
  if (entry == leases_.end()) {
    return absl::NotFoundError(absl::StrCat(
        "lease ", lease, " ended while its output was checked: drop it"));
  }
  entry->second.being_sealed = false;
  entry->second.sealed = status.ok();
  entry->second.path = status.ok() ? sealed_path : std::string();
  return status;
}

absl::Status LeaseTable::Seal(const std::string& token, uint64_t lease,
                              const Blob& output) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::optional<std::string> part,
                             BeginSeal(token, lease, output));
  if (!part.has_value()) return absl::OkStatus();
  const std::string sealed_path = absl::StrCat(*part, ".", lease, ".sealed");
  const absl::Status status = SealFile(*part, output, sealed_path);
  const absl::Status ended = EndSeal(lease, sealed_path, status);
  if (status.ok() && !ended.ok()) RemoveFile(sealed_path);
  return ended;
}

absl::StatusOr<std::string> LeaseTable::SealedPath(uint64_t lease,
                                                   const Blob& output) const {
  MutexLock lock(mutex_);
  const auto entry = leases_.find(lease);
  if (entry == leases_.end() || !entry->second.sealed ||
      entry->second.output != output) {
    return absl::FailedPreconditionError(absl::StrCat(
        "lease ", lease, " reports the output \"", output.id.substr(0, 64),
        "\", which was not uploaded completely"));
  }
  return entry->second.path;
}

}  // namespace meanfield::driver
