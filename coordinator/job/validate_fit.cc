#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "common/base/strings.h"
#include "coordinator/job/corpus_files.h"
#include "coordinator/job/validate.h"

namespace meanfield::job {
namespace {

// Which model reads which corpus.
std::string_view ModelOf(std::string_view format) {
  if (format == "conll" || format == "conllu") return "sequence_tagger";
  if (format == "text") return "language_model";
  if (format == "wmt_qe") return "nuqe";
  return "text_classifier";
}

std::string_view FormatsOf(std::string_view model) {
  if (model == "sequence_tagger") return "conll or conllu";
  if (model == "language_model") return "text";
  if (model == "nuqe") return "wmt_qe";
  return "fasttext, label_text or csv";
}

std::string ModelName(const proto::Model& model) {
  const google::protobuf::FieldDescriptor* field =
      model.GetReflection()->GetOneofFieldDescriptor(
          model, proto::Model::descriptor()->FindOneofByName("kind"));
  return field == nullptr ? "" : field->name();
}

void ValidateFormat(const proto::Task& task, const std::string& path,
                    Checks& checks) {
  const std::string format = FormatName(task.corpus());
  const std::string model = ModelName(task.model());
  if (format.empty() || model.empty() || ModelOf(format) == model) return;
  checks.WrongField(Member(Member(path, "corpus"), format),
                    StrCat("a ", model, " does not read \"", format,
                           "\" (it reads ", FormatsOf(model), "); ", format,
                           " goes with a ", ModelOf(format)));
}

// Only a text with several labels has something between them.
void ValidateLabelDelimiter(const proto::Task& task, const std::string& path,
                            Checks& checks) {
  const proto::Corpus& corpus = task.corpus();
  const bool given = corpus.csv().has_label_delimiter() ||
                     corpus.label_text().has_label_delimiter();
  if (!given || !task.model().has_text_classifier() ||
      task.model().text_classifier().multi_label()) {
    return;
  }
  checks.WrongField(
      Member(Member(Member(path, "corpus"), FormatName(corpus)),
             "label_delimiter"),
      "\"label_delimiter\" needs multi_label: true in the text_classifier");
}

// Names of the scores of classifiers and taggers.
std::vector<std::string> KnownMetrics(const proto::Model& model) {
  std::vector<std::string> names = {"accuracy", "macro_f1", "micro_f1",
                                    "weighted_f1"};
  if (model.has_sequence_tagger() || model.text_classifier().multi_label()) {
    names.insert(names.end(), {"micro_precision", "micro_recall"});
  }
  if (model.has_sequence_tagger()) names.push_back("token_accuracy");
  return names;
}

// Scores of other models are not checked.
void ValidateMetric(const proto::Task& task, const std::string& path,
                    Checks& checks) {
  if (!task.has_metric()) return;
  if (!task.model().has_text_classifier() &&
      !task.model().has_sequence_tagger()) {
    return;
  }
  const std::vector<std::string> parts = absl::StrSplit(task.metric(), '+');
  for (const std::string& part : parts) {
    checks.OneOf(Member(path, "metric"),
                 StdView(absl::StripAsciiWhitespace(part)),
                 KnownMetrics(task.model()));
  }
}

void ValidateDevSplit(const proto::JobSpec& job, const proto::Task& task,
                      const std::string& path, Checks& checks) {
  const std::string corpus = Member(path, "corpus");
  const std::string format = FormatName(task.corpus());
  const bool faulty =
      checks.positions().Attempted(Member(Member(corpus, format), "dev")) ||
      checks.positions().Attempted(Member(corpus, "dev_fraction"));
  if (faulty || format.empty() || !FilesOf(task.corpus()).dev.empty() ||
      task.corpus().has_dev_fraction()) {
    return;
  }
  const std::string_view remedy = "; give a \"dev\" file or dev_fraction: 0.1";
  if (task.training().has_reduce_on_plateau()) {
    checks.WrongField(
        Member(Member(path, "training"), "reduce_on_plateau"),
        StrCat("\"reduce_on_plateau\" needs a dev split", remedy));
  } else if (job.stop().early_stopping_patience() > 0) {
    checks.WrongField("stop.early_stopping_patience",
                      StrCat("early stopping needs a dev split", remedy));
  } else {
    checks.Warn(
        Member(corpus, format),
        StrCat("no dev split: the last model counts as the best", remedy));
  }
}

}  // namespace

void ValidateFit(const proto::JobSpec& job, const proto::Task& task,
                 const std::string& path, Checks& checks) {
  ValidateFormat(task, path, checks);
  ValidateLabelDelimiter(task, path, checks);
  ValidateMetric(task, path, checks);
  ValidateDevSplit(job, task, path, checks);
}

}  // namespace meanfield::job
