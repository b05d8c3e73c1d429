#include "coordinator/corpus/model_shape.h"

#include <cstdint>
#include <utility>

#include "common/base/status.h"
#include "coordinator/corpus/label_weights.h"

namespace meanfield::corpus {
namespace {

// What a job leaves out depends on the model; Flair's values.
struct RnnDefaults {
  uint32_t hidden_size = 0;
  bool bidirectional = false;
};
constexpr RnnDefaults kTagger = {.hidden_size = 256, .bidirectional = true};
constexpr RnnDefaults kClassifier = {.hidden_size = 128,
                                     .bidirectional = false};

RnnConfig MakeRnn(const proto::Rnn& rnn, const RnnDefaults& defaults) {
  return {
      .type = rnn.type() == proto::Rnn::GRU ? RnnType::kGru : RnnType::kLstm,
      .hidden_size =
          rnn.has_hidden_size() ? rnn.hidden_size() : defaults.hidden_size,
      .num_layers = rnn.num_layers(),
      .bidirectional = rnn.has_bidirectional() ? rnn.bidirectional()
                                               : defaults.bidirectional};
}

BagConfig MakeBag(const proto::TextClassifier& model,
                  const Dictionaries& dictionaries) {
  return {.ngram_size = dictionaries.ngram_size,
          .ngram_buckets = dictionaries.ngram_buckets,
          .pooling = model.bag().pooling() == proto::TextClassifier::Bag::SUM
                         ? Pooling::kSum
                         : Pooling::kMean};
}

DocumentRnnConfig MakeDocumentRnn(const proto::TextClassifier& model,
                                  const std::vector<Embeddings>& embeddings) {
  DocumentRnnConfig document{.rnn = MakeRnn(model.rnn(), kClassifier),
                             .dropout = model.dropout(),
                             .word_dropout = model.word_dropout(),
                             .locked_dropout = model.locked_dropout()};
  if (!model.reproject_words()) return document;
  int64_t width = 0;
  for (const Embeddings& one : embeddings) width += VectorSize(one);
  document.reproject_words_dimension = model.has_reproject_words_dimension()
                                           ? model.reproject_words_dimension()
                                           : width;
  return document;
}

absl::StatusOr<ModelConfig> MakeClassifier(const proto::TextClassifier& model,
                                           std::vector<Embeddings> embeddings,
                                           const Dictionaries& dictionaries) {
  TextClassifierConfig config{.num_labels = dictionaries.labels.size(),
                              .multi_label = model.multi_label()};
  if (model.has_rnn()) {
    config.document = MakeDocumentRnn(model, embeddings);
  } else {
    config.document = MakeBag(model, dictionaries);
  }
  config.embeddings = std::move(embeddings);
  MEANFIELD_ASSIGN_OR_RETURN(
      config.label_weights,
      MakeLabelWeights(model.label_weights(), dictionaries));
  return ModelConfig{std::move(config)};
}

absl::StatusOr<ModelConfig> MakeTagger(const proto::SequenceTagger& model,
                                       std::vector<Embeddings> embeddings,
                                       const Dictionaries& dictionaries) {
  SequenceTaggerConfig config{.embeddings = std::move(embeddings),
                              .rnn = MakeRnn(model.rnn(), kTagger),
                              .crf = model.crf(),
                              .num_tags = dictionaries.labels.size(),
                              .dropout = model.dropout(),
                              .word_dropout = model.word_dropout(),
                              .locked_dropout = model.locked_dropout()};
  MEANFIELD_ASSIGN_OR_RETURN(
      config.label_weights,
      MakeLabelWeights(model.label_weights(), dictionaries));
  return ModelConfig{std::move(config)};
}

}  // namespace

absl::Status CheckModelKind(const proto::Model& model) {
  if (model.has_text_classifier() || model.has_sequence_tagger()) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      "this version trains text_classifier and sequence_tagger");
}

absl::StatusOr<ModelConfig> MakeModelConfig(const proto::Model& model,
                                            std::vector<Embeddings> embeddings,
                                            const Dictionaries& dictionaries) {
  return model.has_text_classifier()
             ? MakeClassifier(model.text_classifier(), std::move(embeddings),
                              dictionaries)
             : MakeTagger(model.sequence_tagger(), std::move(embeddings),
                          dictionaries);
}

}  // namespace meanfield::corpus
