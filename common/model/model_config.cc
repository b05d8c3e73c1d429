#include "common/model/model_config.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "common/model/json_reader.h"
#include "nlohmann/json.hpp"

namespace meanfield {
namespace {

using nlohmann::ordered_json;

// Ids are int32. The other limits only keep products far below 2^63.
constexpr int64_t kMaxIds = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxWidth = int64_t{1} << 20;
constexpr int64_t kMaxLayers = 64;
constexpr int64_t kMaxNgramSize = 16;

ordered_json EmbeddingsJson(const OneHotEmbeddings& embeddings) {
  return {{"type", "one_hot"},
          {"num_embeddings", embeddings.num_embeddings},
          {"embedding_size", embeddings.embedding_size}};
}

ordered_json ModelJson(const TextClassifierConfig& config) {
  return {{"model", "text_classifier"},
          {"embeddings", EmbeddingsJson(config.embeddings)},
          {"ngrams",
           {{"size", config.ngram_size}, {"buckets", config.ngram_buckets}}},
          {"pooling", config.pooling == Pooling::kMean ? "mean" : "sum"},
          {"num_labels", config.num_labels}};
}

ordered_json ModelJson(const SequenceTaggerConfig& config) {
  return {{"model", "sequence_tagger"},
          {"embeddings", EmbeddingsJson(config.embeddings)},
          {"rnn",
           {{"type", "lstm"},
            {"hidden_size", config.hidden_size},
            {"num_layers", config.num_layers},
            {"bidirectional", config.bidirectional}}},
          {"dropout", config.dropout},
          {"word_dropout", config.word_dropout},
          {"locked_dropout", config.locked_dropout},
          {"num_tags", config.num_tags}};
}

OneHotEmbeddings ReadEmbeddings(JsonReader reader) {
  OneHotEmbeddings embeddings;
  reader.Choice("type", {"one_hot"});
  embeddings.num_embeddings = reader.Integer("num_embeddings", 1, kMaxIds);
  embeddings.embedding_size = reader.Integer("embedding_size", 1, kMaxWidth);
  reader.Finish();
  return embeddings;
}

TextClassifierConfig ReadTextClassifier(JsonReader& reader) {
  TextClassifierConfig config;
  config.embeddings = ReadEmbeddings(reader.Object("embeddings"));
  JsonReader ngrams = reader.Object("ngrams");
  config.ngram_size = ngrams.Integer("size", 1, kMaxNgramSize);
  config.ngram_buckets = ngrams.Integer("buckets", 0, kMaxIds);
  ngrams.Require((config.ngram_size > 1) == (config.ngram_buckets > 0),
                 "buckets", "buckets exactly when size is above 1");
  ngrams.Require(
      config.ngram_buckets <= kMaxIds - config.embeddings.num_embeddings,
      "buckets", "ids of words and n-grams that fit 31 bits together");
  ngrams.Finish();
  config.pooling = reader.Choice("pooling", {"mean", "sum"}) == 0
                       ? Pooling::kMean
                       : Pooling::kSum;
  config.num_labels = reader.Integer("num_labels", 1, kMaxIds);
  return config;
}

SequenceTaggerConfig ReadSequenceTagger(JsonReader& reader) {
  SequenceTaggerConfig config;
  config.embeddings = ReadEmbeddings(reader.Object("embeddings"));
  JsonReader rnn = reader.Object("rnn");
  rnn.Choice("type", {"lstm"});
  config.hidden_size = rnn.Integer("hidden_size", 1, kMaxWidth);
  config.num_layers = rnn.Integer("num_layers", 1, kMaxLayers);
  config.bidirectional = rnn.Bool("bidirectional");
  rnn.Finish();
  config.dropout = reader.Number("dropout", 0, 1);
  config.word_dropout = reader.Number("word_dropout", 0, 1);
  config.locked_dropout = reader.Number("locked_dropout", 0, 1);
  config.num_tags = reader.Integer("num_tags", 1, kMaxIds);
  return config;
}

}  // namespace

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
