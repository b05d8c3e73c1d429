#include "coordinator/job/job.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_join.h"
#include "common/base/strings.h"
#include "coordinator/job/availability.h"
#include "coordinator/job/checks.h"
#include "coordinator/job/corpus_files.h"
#include "coordinator/job/defaults.h"
#include "coordinator/job/findings.h"
#include "coordinator/job/job_text.h"
#include "coordinator/job/position_table.h"
#include "coordinator/job/validate.h"
#include "google/protobuf/text_format.h"

namespace meanfield::job {
namespace {

namespace fs = std::filesystem;

// Where relative corpus paths start.
std::string CorpusFolder(const JobSource& source) {
  const fs::path folder = source.corpus_root.empty()
                              ? fs::path(source.path).parent_path()
                              : fs::path(source.corpus_root);
  std::error_code ignored;  // Only without a working folder.
  const fs::path absolute =
      fs::absolute(folder.empty() ? "." : folder, ignored).lexically_normal();
  // "a/." is normally "a/".
  return absolute.has_filename() ? absolute.string()
                                 : absolute.parent_path().string();
}

// A training for every task while every task has its own: nothing reads it.
void CheckUnusedTraining(const proto::JobSpec& job,
                         const PositionTable& positions, Findings& findings) {
  if (!job.has_training() || job.task().empty()) return;
  for (const proto::Task& task : job.task()) {
    if (!task.has_training()) return;
  }
  const std::string message =
      "the job's \"training\" is used by no task: each has a training of its "
      "own";
  const Position position = positions.Name("training");
  if (position.source == 0) {
    findings.AddWarning(position, message);
  } else {
    findings.AddFault(position, StrCat(message, " (task.training)"));
  }
}

}  // namespace

JobResult LoadJob(const JobSource& source) {
  JobResult result;
  Findings findings(source.path.empty() ? "job" : source.path);
  PositionTable positions;
  if (ReadJobText(source, result.job, positions, findings)) {
    CheckAvailability(result.job, positions, findings);
    CheckUnusedTraining(result.job, positions, findings);
    FillDefaults({source.path, source.default_shards}, result.job, positions);
    const std::string folder = CorpusFolder(source);
    ResolveCorpusFiles(folder, result.job);
    Checks checks(positions, findings);
    ValidateJob(result.job, checks);
    CheckCorpusFiles(folder, result.job, checks);
  }
  result.faults = findings.Faults();
  result.warnings = findings.Warnings();
  return result;
}

absl::StatusOr<JobSource> ReadJobSource(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return absl::NotFoundError(StrCat("there is no job file ", path));
  }
  if (fs::is_directory(status)) {
    return absl::InvalidArgumentError(
        StrCat(path, " is a folder, not a job file"));
  }
  std::ifstream in(path, std::ios::binary);
  JobSource source;
  source.path = path;
  // One more than allowed: LoadJob reports that it is too large.
  source.text.resize(kMaxJobBytes + 1);
  in.read(source.text.data(), static_cast<std::streamsize>(source.text.size()));
  if (in.bad() || (!in && !in.eof())) {
    return absl::PermissionDeniedError(
        StrCat("cannot read the job file ", path));
  }
  source.text.resize(static_cast<size_t>(in.gcount()));
  return source;
}

std::string FormatFaults(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) {
    StrAppend(&text, FormatFault(fault), "\n");
  }
  return text;
}

absl::StatusOr<proto::JobSpec> ToStatusOr(JobResult result) {
  if (result.faults.empty()) return std::move(result.job);
  const size_t count = result.faults.size();
  std::string text =
      StrCat("the job has ", count == 1 ? "a fault" : StrCat(count, " faults"),
             ":\n", FormatFaults(result.faults));
  text.pop_back();  // The final newline.
  return absl::InvalidArgumentError(text);
}

std::string ExplainJob(const proto::JobSpec& job) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseUtf8StringEscaping(true);
  printer.SetUseShortRepeatedPrimitives(true);
  std::string text;
  printer.PrintToString(job, &text);
  return text;
}

}  // namespace meanfield::job
