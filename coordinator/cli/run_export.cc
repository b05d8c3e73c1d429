#include "coordinator/cli/run_export.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/blob/blob_store.h"
#include "common/convert/convert.h"
#include "coordinator/report/report.h"

namespace meanfield::cli {

namespace fs = std::filesystem;

namespace {

// An earlier export of the same run, or nothing.
absl::Status CheckFolder(const fs::path& folder, const std::string& run) {
  std::error_code error;
  if (!fs::exists(folder, error) || fs::is_empty(folder, error)) {
    return absl::OkStatus();
  }
  if (fs::exists(folder / "state" / run, error)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--out ", folder.string(),
                   " holds other files already; name a new folder"));
}

absl::Status Fetch(CoordinatorClient& client, const std::string& run,
                   const proto::BlobRef& ref, BlobStore& blobs) {
  MEANFIELD_ASSIGN_OR_RETURN(const Blob blob, FromProto(ref));
  if (blobs.Contains(blob)) return absl::OkStatus();
  const std::string path = absl::StrCat(blobs.folder(), "/", blob.id, ".part");
  MEANFIELD_RETURN_IF_ERROR(client.ReadRunBlob(run, blob, path));
  return blobs.AdoptAs(blob, path, Durability::kCached);
}

}  // namespace

absl::StatusOr<std::string> ExportRun(CoordinatorClient& client,
                                      const std::string& run,
                                      const std::string& out) {
  MEANFIELD_ASSIGN_OR_RETURN(const proto::RunDetails details,
                             client.GetRun(run));
  const fs::path folder =
      fs::absolute(out.empty() ? "runs/" + details.run().id() : out)
          .lexically_normal();
  MEANFIELD_RETURN_IF_ERROR(CheckFolder(folder, details.run().id()));
  const fs::path state = folder / "state" / details.run().id();
  std::error_code error;
  fs::create_directories(state, error);
  if (error) return ErrnoStatus(error.value(), "create", state.string());
  MEANFIELD_ASSIGN_OR_RETURN(BlobStore blobs, BlobStore::Open(state.string()));
  for (const proto::BlobRef& ref : report::OutputBlobs(details)) {
    MEANFIELD_RETURN_IF_ERROR(Fetch(client, details.run().id(), ref, blobs));
  }
  MEANFIELD_RETURN_IF_ERROR(
      report::WriteOutputFolder(details, blobs, folder.string()));
  return folder.string();
}

}  // namespace meanfield::cli
