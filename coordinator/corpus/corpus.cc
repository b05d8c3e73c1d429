#include "coordinator/corpus/corpus.h"

#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/corpus_format.h"
#include "coordinator/corpus/dictionary_builder.h"
#include "coordinator/corpus/label_check.h"
#include "coordinator/corpus/manifest.h"
#include "coordinator/corpus/model_shape.h"
#include "coordinator/corpus/sample_table.h"
#include "coordinator/corpus/split.h"
#include "coordinator/corpus/table_encoder.h"

namespace meanfield::corpus {
namespace {

using SampleNumbers = std::vector<int64_t>;

// The files as read, and which of their samples each split has.
struct LoadedCorpus {
  SampleTable train;
  // Without a value: held out of `train`, or absent.
  std::optional<SampleTable> dev_file;
  std::optional<SampleTable> test_file;
  HeldOut parts;

  const SampleTable& dev() const { return dev_file ? *dev_file : train; }
  const SampleTable& test() const { return test_file ? *test_file : train; }
  std::vector<const SampleTable*> tables() const {
    std::vector<const SampleTable*> all = {&train};
    if (dev_file) all.push_back(&*dev_file);
    if (test_file) all.push_back(&*test_file);
    return all;
  }
};

SampleNumbers AllOf(const SampleTable& table) {
  SampleNumbers all(static_cast<size_t>(table.size()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

absl::StatusOr<std::optional<SampleTable>> LoadNamed(
    const std::string& path, std::string_view split,
    const CorpusFormat& format) {
  if (path.empty()) return std::optional<SampleTable>();
  MEANFIELD_ASSIGN_OR_RETURN(SampleTable table,
                             SampleTable::Load(path, format));
  if (table.size() == 0) {
    return absl::InvalidArgumentError(
        StrCat("the ", split, " file ", path, " holds no text"));
  }
  return std::optional<SampleTable>(std::move(table));
}

absl::Status CheckHeldOut(std::string_view field, double fraction,
                          const SampleNumbers& part, int64_t num_samples) {
  if (fraction == 0 || !part.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("corpus.", field, " ", fraction, " of ", num_samples,
             " training texts is none; name a file or a larger share"));
}

absl::Status CheckFractions(double dev, double test) {
  if (dev >= 0 && test >= 0 && dev + test < 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("corpus.dev_fraction ", dev, " and test_fraction ", test,
             ": expected shares from 0 that leave something to train"));
}

absl::StatusOr<LoadedCorpus> LoadCorpus(const proto::Task& task,
                                        const CorpusFormat& format,
                                        uint64_t seed) {
  LoadedCorpus loaded;
  MEANFIELD_ASSIGN_OR_RETURN(loaded.train,
                             SampleTable::Load(format.train, format));
  if (loaded.train.size() == 0) {
    return absl::InvalidArgumentError(StrCat("the training file ", format.train,
                                             " holds no text to train on"));
  }
  MEANFIELD_ASSIGN_OR_RETURN(loaded.dev_file,
                             LoadNamed(format.dev, "dev", format));
  MEANFIELD_ASSIGN_OR_RETURN(loaded.test_file,
                             LoadNamed(format.test, "test", format));
  const double dev = loaded.dev_file ? 0 : task.corpus().dev_fraction();
  const double test = loaded.test_file ? 0 : task.corpus().test_fraction();
  MEANFIELD_RETURN_IF_ERROR(CheckFractions(dev, test));
  loaded.parts = HoldOut(loaded.train.size(), dev, test, seed, task.name());
  MEANFIELD_RETURN_IF_ERROR(
      CheckHeldOut("dev_fraction", dev, loaded.parts.dev, loaded.train.size()));
  MEANFIELD_RETURN_IF_ERROR(CheckHeldOut(
      "test_fraction", test, loaded.parts.test, loaded.train.size()));
  if (loaded.dev_file) loaded.parts.dev = AllOf(*loaded.dev_file);
  if (loaded.test_file) loaded.parts.test = AllOf(*loaded.test_file);
  return loaded;
}

absl::StatusOr<LabelKind> DecideLabelKind(const LoadedCorpus& loaded,
                                          const CorpusFormat& format) {
  if (!format.tagged) return LabelKind::kDocument;
  if (!format.spans_possible || !HasSpans(loaded.train)) {
    return LabelKind::kToken;
  }
  for (const SampleTable* table : loaded.tables()) {
    MEANFIELD_RETURN_IF_ERROR(CheckSpanTags(*table));
  }
  return LabelKind::kSpan;
}

Dictionaries BuildDictionaries(const LoadedCorpus& loaded, LabelKind kind,
                               const VocabularyRules& rules) {
  const SampleNumbers& train = loaded.parts.train;
  return {.words = BuildWords(loaded.train, train, rules.min_frequency),
          .labels = BuildLabels(loaded.train, train, kind),
          .label_kind = kind,
          .ngram_size = rules.ngram_size,
          .ngram_buckets = rules.ngram_buckets};
}

absl::Status CheckShards(const LoadedCorpus& loaded, uint32_t shards) {
  if (loaded.parts.train.size() >= shards) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat(loaded.train.path(), ": ", loaded.parts.train.size(),
             " training text(s) for ", shards,
             " shards, expected at least one a shard; set shards to ",
             loaded.parts.train.size(), " or less"));
}

absl::StatusOr<std::vector<EncodedShardInfo>> EncodeShards(
    const TableEncoder& encoder, std::span<const SampleNumbers> shards,
    BlobStore& blobs) {
  std::vector<EncodedShardInfo> infos;
  for (const SampleNumbers& samples : shards) {
    MEANFIELD_ASSIGN_OR_RETURN(EncodedShardInfo info,
                               encoder.Encode(samples, blobs));
    infos.push_back(std::move(info));
  }
  return infos;
}

struct EncodedSplit {
  std::vector<EncodedShardInfo> shards;
  std::shared_ptr<const EvaluationSplit> split;
};

// Dev or test; nothing where it has no samples.
absl::StatusOr<EncodedSplit> EncodeEvaluation(
    std::string_view name, const SampleTable& table,
    const SampleNumbers& samples, const Dictionaries& dictionaries,
    const PrepareOptions& options, BlobStore& blobs, Manifest& manifest) {
  EncodedSplit encoded;
  if (samples.empty()) return encoded;
  const std::vector<uint64_t> sizes = CutIntoBatchRuns(
      samples.size(), static_cast<uint64_t>(options.eval_batch_size),
      options.evaluation_shards);
  std::vector<SampleNumbers> shards;
  auto next = samples.begin();
  for (const uint64_t size : sizes) {
    shards.emplace_back(next, next + static_cast<ptrdiff_t>(size));
    next += static_cast<ptrdiff_t>(size);
  }
  const TableEncoder encoder(table, dictionaries);
  MEANFIELD_ASSIGN_OR_RETURN(encoded.shards,
                             EncodeShards(encoder, shards, blobs));
  manifest.AddSplit(name, table, shards, encoded.shards);
  std::vector<Sample> texts;
  for (const int64_t sample : samples) {
    texts.push_back(table.ToSample(sample));
  }
  encoded.split = std::make_shared<const EvaluationSplit>(std::move(texts),
                                                          sizes, dictionaries);
  return encoded;
}

std::vector<std::string> Warnings(const LoadedCorpus& loaded,
                                  const Dictionaries& dictionaries) {
  std::vector<std::string> warnings;
  for (const SampleTable* table : loaded.tables()) {
    warnings.insert(warnings.end(), table->warnings().begin(),
                    table->warnings().end());
    for (std::string& warning : WarnOfUnknownLabels(*table, dictionaries)) {
      warnings.push_back(std::move(warning));
    }
  }
  // "<unk>" or "O" and one more; a class of spans has four tags.
  const bool spans = dictionaries.label_kind == LabelKind::kSpan;
  if (!spans && dictionaries.labels.size() <= 2) {
    warnings.push_back(StrCat(
        loaded.train.path(), ": every training text has the same label, \"",
        dictionaries.labels.items().back(), "\": there is nothing to learn"));
  }
  if (loaded.parts.dev.empty()) {
    warnings.push_back(
        "no dev data (no dev file, no dev_fraction): no best model can be "
        "chosen, so the last one counts as the best");
  }
  return warnings;
}

}  // namespace

absl::StatusOr<PreparedTask> PrepareTask(const proto::Task& task,
                                         const PrepareOptions& options,
                                         BlobStore& blobs) {
  MEANFIELD_CHECK(options.shards > 0 && options.evaluation_shards > 0 &&
                      options.eval_batch_size > 0,
                  "shards and batches must not be 0");
  MEANFIELD_ASSIGN_OR_RETURN(const VocabularyRules rules,
                             VocabularyRulesOf(task.model()));
  MEANFIELD_ASSIGN_OR_RETURN(const CorpusFormat format,
                             MakeCorpusFormat(task.corpus()));
  if (format.tagged != rules.tagger) {
    return absl::InvalidArgumentError(
        rules.tagger ? "a sequence_tagger needs a corpus of tagged tokens: "
                       "conll or conllu"
                     : "a text_classifier needs a corpus of labelled texts: "
                       "fasttext, label_text or csv");
  }
  MEANFIELD_ASSIGN_OR_RETURN(const LoadedCorpus loaded,
                             LoadCorpus(task, format, options.seed));
  MEANFIELD_RETURN_IF_ERROR(CheckShards(loaded, options.shards));
  MEANFIELD_ASSIGN_OR_RETURN(const LabelKind kind,
                             DecideLabelKind(loaded, format));

  PreparedTask prepared;
  prepared.dictionaries = BuildDictionaries(loaded, kind, rules);
  prepared.model = MakeModelConfig(task.model(), prepared.dictionaries);
  prepared.warnings = Warnings(loaded, prepared.dictionaries);

  const std::vector<SampleNumbers> shards = DealToShards(
      loaded.parts.train, options.shards, options.seed, task.name());
  Manifest manifest;
  const TableEncoder encoder(loaded.train, prepared.dictionaries);
  MEANFIELD_ASSIGN_OR_RETURN(prepared.train,
                             EncodeShards(encoder, shards, blobs));
  manifest.AddSplit("train", loaded.train, shards, prepared.train);
  MEANFIELD_ASSIGN_OR_RETURN(
      EncodedSplit dev,
      EncodeEvaluation("dev", loaded.dev(), loaded.parts.dev,
                       prepared.dictionaries, options, blobs, manifest));
  MEANFIELD_ASSIGN_OR_RETURN(
      EncodedSplit test,
      EncodeEvaluation("test", loaded.test(), loaded.parts.test,
                       prepared.dictionaries, options, blobs, manifest));
  prepared.dev = std::move(dev.shards);
  prepared.dev_split = std::move(dev.split);
  prepared.test = std::move(test.shards);
  prepared.test_split = std::move(test.split);
  prepared.manifest_json = manifest.ToJson();
  return prepared;
}

}  // namespace meanfield::corpus
