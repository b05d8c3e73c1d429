#include "coordinator/corpus/corpus.h"

#include <span>
#include <string_view>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/corpus_format.h"
#include "coordinator/corpus/dictionary_builder.h"
#include "coordinator/corpus/embedding_tables.h"
#include "coordinator/corpus/label_check.h"
#include "coordinator/corpus/loaded_corpus.h"
#include "coordinator/corpus/manifest.h"
#include "coordinator/corpus/model_shape.h"
#include "coordinator/corpus/sample_table.h"
#include "coordinator/corpus/split.h"
#include "coordinator/corpus/table_encoder.h"

namespace meanfield::corpus {
namespace {

using SampleNumbers = std::vector<int64_t>;

// Model, dictionaries and word vectors.
absl::Status ShapeModel(const proto::Model& model, const LoadedCorpus& loaded,
                        BlobStore& blobs, PreparedTask& prepared) {
  const SampleNumbers& train = loaded.parts.train;
  MEANFIELD_ASSIGN_OR_RETURN(
      EmbeddingTables tables,
      MakeEmbeddingTables(model, loaded.train, train, blobs));
  Dictionaries& dictionaries = prepared.dictionaries;
  dictionaries.embeddings = std::move(tables.dictionaries);
  dictionaries.label_kind = loaded.label_kind;
  dictionaries.multi_label = model.text_classifier().multi_label();
  MEANFIELD_ASSIGN_OR_RETURN(dictionaries.labels,
                             BuildLabels(loaded.train, train, loaded.label_kind,
                                         model.sequence_tagger().crf()));
  const proto::TextClassifier::Ngrams& ngrams =
      model.text_classifier().ngrams();
  if (model.text_classifier().has_ngrams() && ngrams.size() > 1) {
    dictionaries.ngram_size = ngrams.size();
    dictionaries.ngram_buckets = ngrams.buckets();
  }
  MEANFIELD_ASSIGN_OR_RETURN(
      prepared.model,
      MakeModelConfig(model, std::move(tables.configs), dictionaries));
  prepared.frozen = std::move(tables.frozen);
  prepared.given = std::move(tables.given);
  prepared.warnings = std::move(tables.warnings);
  return absl::OkStatus();
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

// What all texts have where there is no choice; empty: nothing.
std::string OnlyLabel(const Dictionaries& dictionaries) {
  const Dictionary& labels = dictionaries.labels;
  if (dictionaries.multi_label) {
    return labels.size() == 1 ? "no label" : "";
  }
  // A class of spans has four tags and "O". Others: "<unk>" and one more.
  const int32_t added = labels.Find(kStartTag) >= 0 ? 2 : 0;
  if (dictionaries.label_kind == LabelKind::kSpan ||
      labels.size() - added > 2) {
    return "";
  }
  return StrCat("the same label, \"", labels.item(1), "\"");
}

void AddWarnings(const LoadedCorpus& loaded, const Dictionaries& dictionaries,
                 std::vector<std::string>& warnings) {
  for (const SampleTable* table : loaded.tables()) {
    for (std::string& warning : table->Warnings()) {
      warnings.push_back(std::move(warning));
    }
    for (std::string& warning : WarnOfUnknownLabels(*table, dictionaries)) {
      warnings.push_back(std::move(warning));
    }
  }
  if (const std::string only = OnlyLabel(dictionaries); !only.empty()) {
    warnings.push_back(StrCat(loaded.train.path(), ": every training text has ",
                              only, ": there is nothing to learn"));
  }
  if (loaded.parts.dev.empty()) {
    warnings.push_back(
        "no dev data (no dev file, no dev_fraction): no best model can be "
        "chosen, so the last one counts as the best");
  }
}

}  // namespace

absl::StatusOr<PreparedTask> PrepareTask(const proto::Task& task,
                                         const PrepareOptions& options,
                                         BlobStore& blobs) {
  MEANFIELD_CHECK(options.shards > 0 && options.evaluation_shards > 0 &&
                      options.eval_batch_size > 0,
                  "shards and batches must not be 0");
  MEANFIELD_RETURN_IF_ERROR(CheckModelKind(task.model()));
  MEANFIELD_ASSIGN_OR_RETURN(
      const CorpusFormat format,
      MakeCorpusFormat(task.corpus(),
                       task.model().text_classifier().multi_label()));
  const bool tagger = task.model().has_sequence_tagger();
  if (format.tagged != tagger) {
    return absl::InvalidArgumentError(
        tagger ? "a sequence_tagger needs a corpus of tagged tokens: "
                 "conll or conllu"
               : "a text_classifier needs a corpus of labelled texts: "
                 "fasttext, label_text or csv");
  }
  const proto::Corpus& corpus = task.corpus();
  MEANFIELD_ASSIGN_OR_RETURN(
      const LoadedCorpus loaded,
      LoadCorpus(format, {.dev_fraction = corpus.dev_fraction(),
                          .test_fraction = corpus.test_fraction(),
                          .seed = options.seed,
                          .task = task.name()}));
  MEANFIELD_RETURN_IF_ERROR(CheckShards(loaded, options.shards));

  PreparedTask prepared;
  MEANFIELD_RETURN_IF_ERROR(ShapeModel(task.model(), loaded, blobs, prepared));
  AddWarnings(loaded, prepared.dictionaries, prepared.warnings);

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
  for (const TensorFile& tensor : prepared.frozen) manifest.AddTensor(tensor);
  for (const TensorFile& tensor : prepared.given) manifest.AddTensor(tensor);
  prepared.manifest_json = manifest.ToJson();
  return prepared;
}

}  // namespace meanfield::corpus
