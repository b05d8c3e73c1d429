#include "coordinator/cli/init_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/cli/data_files.h"
#include "coordinator/cli/exit_code.h"
#include "coordinator/cli/job_proposal.h"
#include "coordinator/corpus/survey.h"
#include "coordinator/job/job.h"

namespace meanfield::cli {

namespace fs = std::filesystem;

namespace {

// Where standard output goes to a file, that file's folder; else the current.
std::string FolderOfOutput() {
  std::error_code error;
  struct stat status;
  if (fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode)) {
    const fs::path file = fs::read_symlink("/proc/self/fd/1", error);
    if (!error && fs::exists(file, error)) return file.parent_path().string();
  }
  return fs::current_path(error).string();
}

// A file as a job in `folder` names it: as the user did where that is an
// absolute path or `folder` is the current one, else relative where the file is
// below it, else absolute.
std::string NameFrom(const std::string& folder, const std::string& path) {
  std::error_code error;
  if (path.empty() || fs::path(path).is_absolute() ||
      fs::equivalent(folder, fs::current_path(error), error)) {
    return path;
  }
  const fs::path file = fs::weakly_canonical(fs::absolute(path), error);
  const std::string relative =
      file.lexically_relative(fs::weakly_canonical(folder, error)).string();
  const bool below = !relative.empty() && !absl::StartsWith(relative, "..");
  return below ? relative : file.string();
}

absl::StatusOr<corpus::CorpusSurvey> Survey(const corpus::FormatGuess& guess) {
  MEANFIELD_ASSIGN_OR_RETURN(
      corpus::CorpusFormat format,
      corpus::MakeCorpusFormat(guess.corpus, guess.multi_label));
  return corpus::SurveyCorpus(std::move(format), {});
}

uint64_t NumFixed(const corpus::CorpusSurvey& survey) {
  uint64_t fixed = 0;
  for (const corpus::FileSurvey& file : survey.files) {
    fixed += file.bad_lines.fixed.count();
  }
  return fixed;
}

// A corpus of which most cannot be read was taken for what it is not.
absl::Status CheckMostIsRead(const corpus::CorpusSurvey& survey) {
  for (const corpus::SplitSurvey& split : survey.splits) {
    for (const corpus::FileSurvey& file : survey.files) {
      const uint64_t lost = file.bad_lines.texts_left_out;
      if (file.path != split.file || lost <= split.texts) continue;
      return absl::InvalidArgumentError(StrCat(
          "of the texts of ", file.path, " ", lost, " have bad lines and ",
          split.texts,
          " have none; say how to read it (--format, --delimiter, "
          "--text-column, --label-column, --encoding), or repair "
          "it:\n",
          StdView(file.bad_lines.left_out.ToStatus(file.path).message())));
    }
  }
  return absl::OkStatus();
}

// The survey with what on_bad_line is set to on the way.
absl::StatusOr<corpus::CorpusSurvey> DecideBadLines(
    corpus::FormatGuess& guess) {
  MEANFIELD_ASSIGN_OR_RETURN(corpus::CorpusSurvey strict, Survey(guess));
  if (strict.num_bad_lines() == 0) return strict;
  guess.corpus.set_on_bad_line(proto::Corpus::FIX);
  MEANFIELD_ASSIGN_OR_RETURN(corpus::CorpusSurvey mended, Survey(guess));
  MEANFIELD_RETURN_IF_ERROR(CheckMostIsRead(mended));
  if (NumFixed(mended) == 0) guess.corpus.set_on_bad_line(proto::Corpus::SKIP);
  return mended;
}

// There must be something to tell apart.
absl::Status CheckLabels(const corpus::CorpusSurvey& survey) {
  const corpus::SplitSurvey& train = survey.splits[0];
  if (train.labels.size() >= 2) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat(
      train.file, ": every text or token has the label \"",
      train.labels.empty() ? "" : train.labels[0].first,
      "\": there is nothing to learn; --label-column names another column"));
}

}  // namespace

absl::StatusOr<std::string> MakeJob(const InitOptions& options,
                                    const std::string& folder) {
  MEANFIELD_ASSIGN_OR_RETURN(const DataFiles files,
                             AssignSplits(options.paths, options.guess));
  MEANFIELD_ASSIGN_OR_RETURN(corpus::FormatGuess guess,
                             UnderstandFiles(files, options.guess));
  MEANFIELD_ASSIGN_OR_RETURN(const corpus::CorpusSurvey survey,
                             DecideBadLines(guess));
  MEANFIELD_RETURN_IF_ERROR(CheckLabels(survey));
  SetFiles({.train = NameFrom(folder, files.train),
            .dev = NameFrom(folder, files.dev),
            .test = NameFrom(folder, files.test)},
           guess.corpus);
  const std::string text = ProposeJob(guess, survey);
  // What `train` will say of it.
  job::JobResult loaded =
      job::LoadJob({.text = text, .path = folder + "/job.textproto"});
  MEANFIELD_RETURN_IF_ERROR(job::ToStatusOr(std::move(loaded)).status());
  return text;
}

int RunInit(const InitOptions& options) {
  const absl::StatusOr<std::string> text = MakeJob(options, FolderOfOutput());
  if (!text.ok()) {
    std::fprintf(stderr, "meanfield init: %s\n",
                 std::string(text.status().message()).c_str());
    return kUsage;
  }
  std::fputs(text->c_str(), stdout);
  return kDone;
}

}  // namespace meanfield::cli
