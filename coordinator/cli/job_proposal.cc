#include "coordinator/cli/job_proposal.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "common/base/strings.h"
#include "coordinator/cli/job_writer.h"

namespace meanfield::cli {
namespace {

using corpus::CorpusSurvey;
using corpus::LabelKind;
using corpus::SplitSurvey;

// Training texts above which a corpus is no longer small, or is large.
constexpr uint64_t kSmall = 1000;
constexpr uint64_t kLarge = 20000;
// Texts that must be there for a dev split of a tenth.
constexpr uint64_t kLeastToHoldOut = 10;

const SplitSurvey* Find(const CorpusSurvey& survey, std::string_view name) {
  for (const SplitSurvey& split : survey.splits) {
    if (split.name == name) return &split;
  }
  return nullptr;
}

// Has a dev split, or texts enough to hold one out.
bool CanEvaluate(const CorpusSurvey& survey) {
  return Find(survey, "dev") != nullptr ||
         survey.splits[0].texts >= kLeastToHoldOut;
}

void WriteHead(const corpus::FormatGuess& guess, const CorpusSurvey& survey,
               JobWriter& job) {
  job.Comment("Written by meanfield init from what these files hold:");
  for (const SplitSurvey& split : survey.splits) {
    job.Comment(StrCat(split.name, ": ", split.texts, " text(s), ",
                       split.tokens, " tokens, ", split.words,
                       " different words"));
  }
  for (const std::string& seen : guess.seen) job.Comment(seen);
  job.Comment(
      "File names start from this file's folder (or --corpus-root) where they "
      "are not absolute. Train with: meanfield train THIS_FILE. See what is "
      "odd about the data with: meanfield corpus THIS_FILE.");
}

template <typename Files>
void WriteFiles(const Files& files, JobWriter& job) {
  job.String("train", files.train());
  if (!files.dev().empty()) job.String("dev", files.dev());
  if (!files.test().empty()) job.String("test", files.test());
}

void WriteFormat(const proto::Corpus& corpus, JobWriter& job) {
  if (corpus.has_conll()) {
    const proto::ColumnFiles& conll = corpus.conll();
    job.Open("conll");
    WriteFiles(conll, job);
    job.Line(StrCat("text_column: ", conll.text_column()));
    job.Line(StrCat("label_column: ", conll.label_column()));
    if (conll.has_comment_prefix()) {
      job.String("comment_prefix", conll.comment_prefix());
    }
    if (conll.has_delimiter()) job.String("delimiter", conll.delimiter());
    if (conll.has_max_sentence_tokens()) {
      job.Line(StrCat("max_sentence_tokens: ", conll.max_sentence_tokens()));
    }
  } else if (corpus.has_conllu()) {
    job.Open("conllu");
    WriteFiles(corpus.conllu(), job);
    job.String("label", corpus.conllu().label());
  } else if (corpus.has_fasttext()) {
    job.Open("fasttext");
    WriteFiles(corpus.fasttext(), job);
  } else if (corpus.has_label_text()) {
    job.Open("label_text");
    WriteFiles(corpus.label_text(), job);
  } else {
    const proto::CsvFiles& csv = corpus.csv();
    job.Open("csv");
    WriteFiles(csv, job);
    if (csv.header()) job.Line("header: true");
    job.String("delimiter", csv.delimiter());
    job.String("text_column", csv.text_column());
    job.String("label_column", csv.label_column());
  }
  job.Close();
}

// The first bad line of a survey, as "file:line: what".
std::string FirstBadLine(const CorpusSurvey& survey) {
  for (const corpus::FileSurvey& file : survey.files) {
    for (const auto* faults :
         {&file.bad_lines.left_out, &file.bad_lines.fixed}) {
      if (faults->empty()) continue;
      return StrCat(file.path, ":", faults->kept()[0].line, ": ",
                    faults->kept()[0].what);
    }
  }
  return "";
}

void WriteBadLines(const proto::Corpus& corpus, const CorpusSurvey& survey,
                   JobWriter& job) {
  if (!corpus.has_on_bad_line()) return;
  uint64_t fixed = 0;
  uint64_t texts = 0;
  for (const corpus::FileSurvey& file : survey.files) {
    fixed += file.bad_lines.fixed.count();
    texts += file.bad_lines.texts_left_out;
  }
  const std::string mended = StrCat(fixed, " can be mended. ");
  const std::string left_out = StrCat(
      survey.num_bad_lines(), " cannot, and leave out ", texts, " text(s). ");
  job.Comment(StrCat("Bad lines were seen. ", fixed > 0 ? mended : "",
                     texts > 0 ? left_out : "",
                     "The first: ", FirstBadLine(survey),
                     ". Without on_bad_line training refuses them all."));
  job.Line(StrCat("on_bad_line: ",
                  proto::Corpus::OnBadLine_Name(corpus.on_bad_line())));
}

void WriteCorpus(const corpus::FormatGuess& guess, const CorpusSurvey& survey,
                 JobWriter& job) {
  job.Open("corpus");
  WriteFormat(guess.corpus, job);
  if (guess.corpus.encoding() != "utf-8") {
    job.String("encoding", guess.corpus.encoding());
  }
  WriteBadLines(guess.corpus, survey, job);
  if (Find(survey, "dev") == nullptr && CanEvaluate(survey)) {
    job.Comment(
        "There is no dev file: a tenth of the training texts, drawn by the "
        "job's seed, is held out to choose the best model by. test_fraction "
        "does the same for a last test.");
    job.Line("dev_fraction: 0.1");
  }
  job.Close();
}

void WriteOneHot(uint64_t size, uint64_t min_frequency, JobWriter& job) {
  job.Line(absl::StrFormat(
      "embeddings { one_hot { embedding_size: %d min_frequency: %d } }", size,
      min_frequency));
}

// The fewer the sentences, the smaller: a tagger needs some hundreds of steps
// before it finds its first spans.
int TaggerBatchSize(uint64_t texts) {
  if (texts < 4000) return 8;
  return texts < kLarge ? 16 : 32;
}

void WriteTagger(const CorpusSurvey& survey, JobWriter& job) {
  const bool spans = survey.label_kind == LabelKind::kSpan;
  const bool small = survey.splits[0].texts < kSmall;
  job.Open("model");
  job.Open("sequence_tagger");
  job.Comment(
      "Word vectors from a file help most where training texts are few: "
      "embeddings { word_vectors { file: \"glove.6B.100d.txt\" } }");
  WriteOneHot(100, small ? 1 : 2, job);
  job.Line("embeddings { characters {} }");
  job.Line("rnn { hidden_size: 256 }");
  if (spans) job.Line("crf: true");
  job.Close();
  job.Close();
  job.Comment(
      "The sum of a batch's losses with a clipped gradient, and a learning "
      "rate that is halved when the dev score stays: Flair's rule.");
  job.Open("training");
  job.Line(StrCat("batch_size: ", TaggerBatchSize(survey.splits[0].texts)));
  job.Line("sgd { learning_rate: 0.1 }");
  if (CanEvaluate(survey)) {
    job.Line("reduce_on_plateau { factor: 0.5 patience: 3 }");
  }
  job.Line("max_grad_norm: 5");
  job.Close();
}

// Settings of a bag classifier by the number of training texts.
struct BagSettings {
  uint64_t embedding_size;
  uint64_t min_frequency;
  uint64_t buckets;
  uint64_t batch_size;
  double learning_rate;
  uint64_t epochs;
};
BagSettings BagSettingsFor(uint64_t texts) {
  if (texts >= kLarge) return {64, 2, 262144, 16, 24, 10};
  if (texts >= kSmall) return {64, 2, 65536, 16, 8, 15};
  return {32, 1, 16384, 8, 6, 20};
}

void WriteClassifier(bool multi_label, const CorpusSurvey& survey,
                     JobWriter& job) {
  const BagSettings settings = BagSettingsFor(survey.splits[0].texts);
  job.Open("model");
  job.Open("text_classifier");
  WriteOneHot(settings.embedding_size, settings.min_frequency, job);
  job.Line(absl::StrFormat("ngrams { size: 2 buckets: %d }", settings.buckets));
  job.Line("bag { pooling: MEAN }");
  if (multi_label) job.Line("multi_label: true");
  job.Close();
  job.Close();
  job.Open("training");
  job.Line(StrCat("batch_size: ", settings.batch_size));
  job.Line("loss: MEAN");
  job.Line(StrCat("sgd { learning_rate: ", settings.learning_rate, " }"));
  job.Line("linear_decay {}");
  job.Comment("Texts of a few words make steep steps.");
  job.Line("max_grad_norm: 1");
  job.Close();
}

// One label has most of the texts, or far more than most labels have.
bool IsUnbalanced(const SplitSurvey& train) {
  if (train.labels.size() < 2 || train.texts == 0) return false;
  const uint64_t most = train.labels[0].second;
  const uint64_t median = train.labels[train.labels.size() / 2].second;
  return most * 10 >= train.texts * 6 || most >= 10 * median;
}

void WriteMetric(const corpus::FormatGuess& guess, const CorpusSurvey& survey,
                 JobWriter& job) {
  const SplitSurvey& train = survey.splits[0];
  if (survey.label_kind != LabelKind::kDocument || guess.multi_label ||
      !IsUnbalanced(train)) {
    return;
  }
  job.Comment(absl::StrFormat(
      "\"%s\" has %.0f %% of the training texts: accuracy would hide the other "
      "labels.",
      train.labels[0].first,
      100.0 * static_cast<double>(train.labels[0].second) /
          static_cast<double>(train.texts)));
  job.String("metric", "macro_f1");
}

void WriteRun(const CorpusSurvey& survey, JobWriter& job) {
  const uint64_t texts = survey.splits[0].texts;
  const bool tagger = survey.label_kind != LabelKind::kDocument;
  const uint64_t shards = texts < kSmall ? 1 : texts < kLarge ? 2 : 4;
  job.Comment(
      "Parts that the training texts are cut into, one for each device (or a "
      "multiple): more are faster, and need more epochs.");
  job.Line(StrCat("shards: ", shards));
  job.Comment("Average after every epoch.");
  job.Line("schedule { local_epochs: 1 }");
  if (tagger) {
    job.Line(CanEvaluate(survey)
                 ? "stop { max_epochs: 40 early_stopping_patience: 10 }"
                 : "stop { max_epochs: 20 }");
  } else {
    job.Line(StrCat("stop { max_epochs: ", BagSettingsFor(texts).epochs, " }"));
  }
}

}  // namespace

std::string ProposeJob(const corpus::FormatGuess& guess,
                       const CorpusSurvey& survey) {
  JobWriter job;
  WriteHead(guess, survey, job);
  job.Open("task");
  WriteCorpus(guess, survey, job);
  if (survey.label_kind == LabelKind::kDocument) {
    WriteClassifier(guess.multi_label, survey, job);
  } else {
    WriteTagger(survey, job);
  }
  WriteMetric(guess, survey, job);
  job.Close();
  WriteRun(survey, job);
  return job.text();
}

}  // namespace meanfield::cli
