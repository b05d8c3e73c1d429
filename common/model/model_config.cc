#include "common/model/model_config.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/model/embeddings_json.h"
#include "common/model/json_reader.h"
#include "nlohmann/json.hpp"

namespace meanfield {
namespace {

using nlohmann::ordered_json;

constexpr int64_t kMaxLayers = 64;
constexpr int64_t kMaxNgramSize = 16;
// What a float still tells from 0 after being multiplied with a loss.
constexpr double kMinLabelWeight = 1e-6;
constexpr double kMaxLabelWeight = 1e6;

ordered_json RnnJson(const RnnConfig& rnn) {
  return {{"type", rnn.type == RnnType::kLstm ? "lstm" : "gru"},
          {"hidden_size", rnn.hidden_size},
          {"num_layers", rnn.num_layers},
          {"bidirectional", rnn.bidirectional}};
}

ordered_json DocumentJson(const BagConfig& bag) {
  return {
      {"type", "bag"},
      {"ngrams", {{"size", bag.ngram_size}, {"buckets", bag.ngram_buckets}}},
      {"pooling", bag.pooling == Pooling::kMean ? "mean" : "sum"}};
}

ordered_json DocumentJson(const DocumentRnnConfig& document) {
  ordered_json json = {{"type", "rnn"},
                       {"rnn", RnnJson(document.rnn)},
                       {"reproject_words_dimension", nullptr},
                       {"dropout", document.dropout},
                       {"word_dropout", document.word_dropout},
                       {"locked_dropout", document.locked_dropout}};
  if (document.reproject_words_dimension) {
    json["reproject_words_dimension"] = *document.reproject_words_dimension;
  }
  return json;
}

ordered_json ModelJson(const TextClassifierConfig& config) {
  return {
      {"model", "text_classifier"},
      {"embeddings", EmbeddingsJson(config.embeddings)},
      {"document",
       std::visit([](const auto& document) { return DocumentJson(document); },
                  config.document)},
      {"num_labels", config.num_labels},
      {"multi_label", config.multi_label},
      {"label_weights", config.label_weights}};
}

ordered_json ModelJson(const SequenceTaggerConfig& config) {
  return {{"model", "sequence_tagger"},
          {"embeddings", EmbeddingsJson(config.embeddings)},
          {"rnn", RnnJson(config.rnn)},
          {"crf", config.crf},
          {"dropout", config.dropout},
          {"word_dropout", config.word_dropout},
          {"locked_dropout", config.locked_dropout},
          {"num_tags", config.num_tags},
          {"label_weights", config.label_weights}};
}

RnnConfig ReadRnn(JsonReader reader) {
  RnnConfig rnn;
  rnn.type = reader.Choice("type", {"lstm", "gru"}) == 0 ? RnnType::kLstm
                                                         : RnnType::kGru;
  rnn.hidden_size = reader.Integer("hidden_size", 1, kMaxWidth);
  rnn.num_layers = reader.Integer("num_layers", 1, kMaxLayers);
  rnn.bidirectional = reader.Bool("bidirectional");
  reader.Finish();
  return rnn;
}

BagConfig ReadBag(JsonReader& reader) {
  BagConfig bag;
  JsonReader ngrams = reader.Object("ngrams");
  bag.ngram_size = ngrams.Integer("size", 1, kMaxNgramSize);
  bag.ngram_buckets = ngrams.Integer("buckets", 0, kMaxIds);
  ngrams.Require((bag.ngram_size > 1) == (bag.ngram_buckets > 0), "buckets",
                 "buckets exactly when size is above 1");
  ngrams.Finish();
  bag.pooling = reader.Choice("pooling", {"mean", "sum"}) == 0 ? Pooling::kMean
                                                               : Pooling::kSum;
  return bag;
}

DocumentRnnConfig ReadDocumentRnn(JsonReader& reader) {
  DocumentRnnConfig document;
  document.rnn = ReadRnn(reader.Object("rnn"));
  document.reproject_words_dimension =
      reader.IntegerOrNull("reproject_words_dimension", 1, kMaxWidth);
  document.dropout = reader.Number("dropout", 0, 1);
  document.word_dropout = reader.Number("word_dropout", 0, 1);
  document.locked_dropout = reader.Number("locked_dropout", 0, 1);
  return document;
}

std::variant<BagConfig, DocumentRnnConfig> ReadDocument(JsonReader reader) {
  std::variant<BagConfig, DocumentRnnConfig> document;
  if (reader.Choice("type", {"bag", "rnn"}) == 0) {
    document = ReadBag(reader);
  } else {
    document = ReadDocumentRnn(reader);
  }
  reader.Finish();
  return document;
}

std::vector<double> ReadLabelWeights(JsonReader& reader, int64_t num_labels) {
  std::vector<double> weights =
      reader.Numbers("label_weights", kMinLabelWeight, kMaxLabelWeight);
  reader.Require(
      weights.empty() || static_cast<int64_t>(weights.size()) == num_labels,
      "label_weights", StrCat("none, or one for each of ", num_labels));
  return weights;
}

void CheckBag(const TextClassifierConfig& config, JsonReader& reader) {
  const auto* bag = std::get_if<BagConfig>(&config.document);
  if (bag == nullptr || config.embeddings.empty()) return;
  const auto* words = std::get_if<OneHotEmbeddings>(&config.embeddings[0]);
  if (config.embeddings.size() != 1 || words == nullptr) {
    reader.Require(false, "embeddings",
                   "exactly one with a bag, of type \"one_hot\"");
    return;
  }
  reader.Require(bag->ngram_buckets <= kMaxIds - words->num_embeddings,
                 "document", "ids of words and n-grams that fit 31 bits");
}

TextClassifierConfig ReadTextClassifier(JsonReader& reader) {
  TextClassifierConfig config;
  config.embeddings = ReadEmbeddings(reader);
  config.document = ReadDocument(reader.Object("document"));
  CheckBag(config, reader);
  config.num_labels = reader.Integer("num_labels", 1, kMaxIds);
  config.multi_label = reader.Bool("multi_label");
  config.label_weights = ReadLabelWeights(reader, config.num_labels);
  return config;
}

SequenceTaggerConfig ReadSequenceTagger(JsonReader& reader) {
  SequenceTaggerConfig config;
  config.embeddings = ReadEmbeddings(reader);
  config.rnn = ReadRnn(reader.Object("rnn"));
  config.crf = reader.Bool("crf");
  config.dropout = reader.Number("dropout", 0, 1);
  config.word_dropout = reader.Number("word_dropout", 0, 1);
  config.locked_dropout = reader.Number("locked_dropout", 0, 1);
  // <START>, <STOP> and a tag at least.
  config.num_tags = reader.Integer("num_tags", config.crf ? 3 : 1, kMaxIds);
  config.label_weights = ReadLabelWeights(reader, config.num_tags);
  reader.Require(!config.crf || config.label_weights.empty(), "label_weights",
                 "none with a crf");
  return config;
}

int64_t SizeOf(const OneHotEmbeddings& embeddings) {
  return embeddings.embedding_size;
}
int64_t SizeOf(const WordEmbeddings& embeddings) {
  return embeddings.embedding_size;
}
int64_t SizeOf(const CharacterEmbeddings& embeddings) {
  return 2 * embeddings.hidden_size;
}

}  // namespace

int64_t VectorSize(const Embeddings& embeddings) {
  return std::visit([](const auto& e) { return SizeOf(e); }, embeddings);
}

std::string ToJson(const ModelConfig& config) {
  const ordered_json json = std::visit(
      [](const auto& model) { return ModelJson(model); }, config.model);
  return json.dump(2) + "\n";
}

absl::StatusOr<ModelConfig> ParseModelConfig(std::string_view json) {
  absl::StatusOr<nlohmann::json> root = ParseJsonObject(json);
  if (!root.ok()) return Annotate(root.status(), "model.json");
  absl::Status fault;
  JsonReader reader(*root, fault);
  ModelConfig config;
  const size_t model =
      reader.Choice("model", {"text_classifier", "sequence_tagger"});
  if (!fault.ok()) return Annotate(fault, "model.json");
  if (model == 0) {
    config.model = ReadTextClassifier(reader);
  } else {
    config.model = ReadSequenceTagger(reader);
  }
  reader.Finish();
  if (!fault.ok()) return Annotate(fault, "model.json");
  return config;
}

}  // namespace meanfield
