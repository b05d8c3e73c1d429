#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "coordinator/report/event_file.h"
#include "coordinator/report/model_file.h"
#include "coordinator/report/output_file.h"
#include "coordinator/report/report.h"
#include "coordinator/report/run_view.h"

namespace meanfield::report {
namespace {

std::string HostName() {
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) != 0) return "localhost";
  return name;
}

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return absl::OkStatus();
  return ErrnoStatus(error.value(), "create the output folder", folder);
}

// A file of the output folder that is a blob, or a model made of one.
struct BlobFile {
  std::string name;
  proto::BlobRef blob;
  bool model = false;
};

// Those that the run has (by now).
std::vector<BlobFile> BlobFiles(const proto::RunDetails& run) {
  const proto::RunRecord& record = run.run();
  std::vector<BlobFile> files = {
      {"manifest.json", record.manifest()},
      {"dictionaries.json", record.dictionaries()},
      {"model.json", record.model_config()},
      {"training.json", record.training_config()},
      {"best.safetensors", record.best_model(), /*model=*/true}};
  if (!run.rounds().empty()) {
    files.push_back({"final.safetensors", record.last_model(), /*model=*/true});
  }
  if (const proto::Verdict* best = BestVerdict(run)) {
    files.push_back({"predictions/dev.tsv", best->dev().predictions()});
  }
  if (const proto::EvaluationRecord* test = TestOf(run)) {
    files.push_back({"predictions/test.tsv", test->predictions()});
  }
  std::erase_if(files,
                [](const BlobFile& file) { return file.blob.id().empty(); });
  return files;
}

absl::Status Put(const BlobFile& file, const proto::RunRecord& run,
                 const BlobStore& blobs, const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/", file.name);
  if (file.model) return WriteModelFile(blobs, run, file.blob, path);
  MEANFIELD_ASSIGN_OR_RETURN(
      const std::string source,
      blobs.Path({.id = file.blob.id(), .size = file.blob.size()}));
  return LinkOrCopy(source, path);
}

}  // namespace

std::vector<proto::BlobRef> OutputBlobs(const proto::RunDetails& run) {
  std::vector<proto::BlobRef> blobs;
  for (const BlobFile& file : BlobFiles(run)) blobs.push_back(file.blob);
  for (const proto::FrozenTensor& frozen : run.run().frozen()) {
    blobs.push_back(frozen.file());
  }
  return blobs;
}

absl::Status WriteOutputFolder(const proto::RunDetails& run,
                               const BlobStore& blobs,
                               const std::string& folder) {
  MEANFIELD_RETURN_IF_ERROR(MakeFolder(absl::StrCat(folder, "/predictions")));
  for (const BlobFile& file : BlobFiles(run)) {
    const absl::Status status = Put(file, run.run(), blobs, folder);
    if (!status.ok()) return Annotate(status, file.name);
  }
  const auto write = [&](const std::string& name, const std::string& text) {
    return WriteIfChanged(absl::StrCat(folder, "/", name), text);
  };
  MEANFIELD_RETURN_IF_ERROR(write("report.json", ReportJson(run)));
  MEANFIELD_RETURN_IF_ERROR(write("report.txt", ReportText(run, folder)));
  MEANFIELD_RETURN_IF_ERROR(write("rounds.tsv", RoundsTsv(run)));
  return write(EventFileName(run, HostName()), EventFile(run));
}

}  // namespace meanfield::report
