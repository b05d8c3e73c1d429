#include "coordinator/cli/corpus_command.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/cli/data_files.h"
#include "coordinator/cli/exit_code.h"
#include "coordinator/cli/survey_text.h"
#include "coordinator/corpus/survey.h"
#include "coordinator/job/job.h"
#include "nlohmann/json.hpp"

namespace meanfield::cli {
namespace {

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "meanfield corpus: %s\n",
               std::string(status.message()).c_str());
  return kUsage;
}

// A corpus to look at, and how it is read.
struct Subject {
  std::string title;
  proto::Corpus corpus;
  bool multi_label = false;
  uint64_t seed = 0;
  std::string task;
};

bool IsJob(const CorpusOptions& options) {
  if (options.paths.size() != 1) return false;
  const std::string extension =
      std::filesystem::path(options.paths[0]).extension().string();
  return extension == ".textproto" || extension == ".pbtxt" ||
         extension == ".prototxt" || extension == ".txtpb";
}

absl::StatusOr<std::vector<Subject>> OfJob(const CorpusOptions& options) {
  MEANFIELD_ASSIGN_OR_RETURN(job::JobSource source,
                             job::ReadJobSource(options.paths[0]));
  source.overrides = options.overrides;
  if (!options.corpus_root.empty()) {
    source.corpus_root =
        std::filesystem::absolute(options.corpus_root).string();
  }
  job::JobResult result = job::LoadJob(source);
  for (const std::string& warning : result.warnings) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
  MEANFIELD_ASSIGN_OR_RETURN(const proto::JobSpec job,
                             job::ToStatusOr(std::move(result)));
  std::vector<Subject> subjects;
  for (const proto::Task& task : job.task()) {
    subjects.push_back(
        {.title = StrCat("task ", task.name(), ": ", FormatName(task.corpus())),
         .corpus = task.corpus(),
         .multi_label = task.model().text_classifier().multi_label(),
         .seed = job.seed(),
         .task = task.name()});
  }
  return subjects;
}

absl::StatusOr<std::vector<Subject>> OfFiles(const CorpusOptions& options) {
  if (!options.overrides.empty() || !options.corpus_root.empty()) {
    return absl::InvalidArgumentError(
        "--set and --corpus-root go with a job (a .textproto file)");
  }
  MEANFIELD_ASSIGN_OR_RETURN(const DataFiles files,
                             AssignSplits(options.paths, options.guess));
  MEANFIELD_ASSIGN_OR_RETURN(const corpus::FormatGuess guess,
                             UnderstandFiles(files, options.guess));
  Subject subject{.title = FormatName(guess.corpus),
                  .corpus = guess.corpus,
                  .multi_label = guess.multi_label};
  StrAppend(&subject.title, ", ", guess.corpus.encoding());
  for (const std::string& seen : guess.seen) {
    StrAppend(&subject.title, "\n  ", seen);
  }
  return std::vector<Subject>{std::move(subject)};
}

absl::StatusOr<corpus::CorpusSurvey> Survey(const Subject& subject) {
  MEANFIELD_ASSIGN_OR_RETURN(
      corpus::CorpusFormat format,
      corpus::MakeCorpusFormat(subject.corpus, subject.multi_label));
  return corpus::SurveyCorpus(std::move(format),
                              {.dev_fraction = subject.corpus.dev_fraction(),
                               .test_fraction = subject.corpus.test_fraction(),
                               .seed = subject.seed,
                               .task = subject.task});
}

std::string ToText(const Subject& subject, const corpus::CorpusSurvey& survey) {
  return StrCat(subject.title, "\n\n", SurveyText(survey));
}

nlohmann::ordered_json ToJson(const Subject& subject,
                              const corpus::CorpusSurvey& survey) {
  nlohmann::ordered_json json = SurveyJson(survey);
  json["format"] = FormatName(subject.corpus);
  json["encoding"] = subject.corpus.encoding();
  if (!subject.task.empty()) json["task"] = subject.task;
  return json;
}

// Bad lines that `train` would refuse.
uint64_t RefusedLines(const Subject& subject,
                      const corpus::CorpusSurvey& survey) {
  return subject.corpus.on_bad_line() == proto::Corpus::FAIL
             ? survey.num_bad_lines()
             : 0;
}

}  // namespace

int RunCorpus(const CorpusOptions& options) {
  const absl::StatusOr<std::vector<Subject>> subjects =
      IsJob(options) ? OfJob(options) : OfFiles(options);
  if (!subjects.ok()) return Fail(subjects.status());
  uint64_t refused = 0;
  std::string text;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Subject& subject : *subjects) {
    const absl::StatusOr<corpus::CorpusSurvey> survey = Survey(subject);
    if (!survey.ok()) return Fail(survey.status());
    refused += RefusedLines(subject, *survey);
    StrAppend(&text, text.empty() ? "" : "\n", ToText(subject, *survey));
    all.push_back(ToJson(subject, *survey));
  }
  if (options.json) {
    text = (all.size() == 1 ? all[0] : all)
               .dump(2, ' ', false,
                     nlohmann::ordered_json::error_handler_t::replace) +
           "\n";
  }
  std::fputs(text.c_str(), stdout);
  if (refused == 0) return kDone;
  return Fail(absl::InvalidArgumentError(
      StrCat(refused, " bad line(s), which training refuses; repair them, or ",
             "set corpus.on_bad_line: SKIP leaves their texts out, FIX mends ",
             "what is plain")));
}

}  // namespace meanfield::cli
