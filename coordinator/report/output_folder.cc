#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

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

// The files of one run's output folder that are blobs of the store.
class BlobFiles {
 public:
  BlobFiles(store::RunStore& store, const std::string& folder)
      : store_(store), folder_(folder) {}

  // Nothing where the run has no such blob (yet).
  absl::Status Put(const std::string& name, const proto::BlobRef& ref) const {
    if (ref.id().empty()) return absl::OkStatus();
    const auto source =
        store_.blobs().Path({.id = ref.id(), .size = ref.size()});
    if (!source.ok()) return Annotate(source.status(), name);
    return LinkOrCopy(*source, absl::StrCat(folder_, "/", name));
  }
  absl::Status PutModel(const std::string& name, const proto::RunRecord& run,
                        const proto::BlobRef& model) const {
    if (model.id().empty()) return absl::OkStatus();
    const absl::Status written =
        WriteModelFile(store_, run, model, absl::StrCat(folder_, "/", name));
    return written.ok() ? written : Annotate(written, name);
  }

 private:
  store::RunStore& store_;
  const std::string& folder_;
};

absl::Status PutBlobs(const proto::RunDetails& run, const BlobFiles& files) {
  const proto::RunRecord& record = run.run();
  MEANFIELD_RETURN_IF_ERROR(files.Put("manifest.json", record.manifest()));
  MEANFIELD_RETURN_IF_ERROR(
      files.Put("dictionaries.json", record.dictionaries()));
  MEANFIELD_RETURN_IF_ERROR(files.Put("model.json", record.model_config()));
  MEANFIELD_RETURN_IF_ERROR(
      files.Put("training.json", record.training_config()));
  MEANFIELD_RETURN_IF_ERROR(
      files.PutModel("best.safetensors", record, record.best_model()));
  if (!run.rounds().empty()) {
    MEANFIELD_RETURN_IF_ERROR(
        files.PutModel("final.safetensors", record, record.last_model()));
  }
  if (const proto::Verdict* best = BestVerdict(run)) {
    MEANFIELD_RETURN_IF_ERROR(
        files.Put("predictions/dev.tsv", best->dev().predictions()));
  }
  if (const proto::EvaluationRecord* test = TestOf(run)) {
    MEANFIELD_RETURN_IF_ERROR(
        files.Put("predictions/test.tsv", test->predictions()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteOutputFolder(store::RunStore& store, const std::string& run,
                               const std::string& folder) {
  MEANFIELD_ASSIGN_OR_RETURN(const proto::RunDetails details, store.Load(run));
  MEANFIELD_RETURN_IF_ERROR(MakeFolder(absl::StrCat(folder, "/predictions")));
  MEANFIELD_RETURN_IF_ERROR(PutBlobs(details, BlobFiles(store, folder)));
  const auto write = [&](const std::string& name, const std::string& text) {
    return WriteIfChanged(absl::StrCat(folder, "/", name), text);
  };
  MEANFIELD_RETURN_IF_ERROR(write("report.json", ReportJson(details)));
  MEANFIELD_RETURN_IF_ERROR(write("report.txt", ReportText(details, folder)));
  MEANFIELD_RETURN_IF_ERROR(write("rounds.tsv", RoundsTsv(details)));
  return write(EventFileName(details, HostName()), EventFile(details));
}

}  // namespace meanfield::report
