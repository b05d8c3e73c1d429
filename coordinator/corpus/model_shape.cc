#include "coordinator/corpus/model_shape.h"

#include "common/base/status.h"
#include "google/protobuf/repeated_ptr_field.h"

namespace meanfield::corpus {
namespace {

constexpr uint32_t kDefaultHiddenSize = 256;  // Flair's

absl::StatusOr<int64_t> MinFrequency(
    const google::protobuf::RepeatedPtrField<proto::Embeddings>& embeddings) {
  if (embeddings.size() != 1 || !embeddings[0].has_one_hot()) {
    return absl::UnimplementedError(
        "the model's embeddings: this version has exactly one, one_hot");
  }
  return embeddings[0].one_hot().min_frequency();
}

OneHotEmbeddings MakeEmbeddings(const proto::Embeddings& embeddings,
                                const Dictionaries& dictionaries) {
  return {.num_embeddings = dictionaries.words.size(),
          .embedding_size = embeddings.one_hot().embedding_size()};
}

TextClassifierConfig MakeClassifier(const proto::TextClassifier& model,
                                    const Dictionaries& dictionaries) {
  return {.embeddings = MakeEmbeddings(model.embeddings(0), dictionaries),
          .ngram_size = dictionaries.ngram_size,
          .ngram_buckets = dictionaries.ngram_buckets,
          .pooling = model.bag().pooling() == proto::TextClassifier::Bag::SUM
                         ? Pooling::kSum
                         : Pooling::kMean,
          .num_labels = dictionaries.labels.size()};
}

SequenceTaggerConfig MakeTagger(const proto::SequenceTagger& model,
                                const Dictionaries& dictionaries) {
  const proto::Rnn& rnn = model.rnn();
  return {.embeddings = MakeEmbeddings(model.embeddings(0), dictionaries),
          .hidden_size =
              rnn.has_hidden_size() ? rnn.hidden_size() : kDefaultHiddenSize,
          .num_layers = rnn.num_layers(),
          .bidirectional = !rnn.has_bidirectional() || rnn.bidirectional(),
          .num_tags = dictionaries.labels.size(),
          .dropout = model.dropout(),
          .word_dropout = model.word_dropout(),
          .locked_dropout = model.locked_dropout()};
}

absl::StatusOr<VocabularyRules> ClassifierRules(
    const proto::TextClassifier& model) {
  if (model.has_rnn() || model.multi_label()) {
    return absl::UnimplementedError(
        "text_classifier: this version has bag, with one label a text");
  }
  VocabularyRules rules;
  MEANFIELD_ASSIGN_OR_RETURN(rules.min_frequency,
                             MinFrequency(model.embeddings()));
  if (model.has_ngrams() && model.ngrams().size() > 1) {
    rules.ngram_size = model.ngrams().size();
    rules.ngram_buckets = model.ngrams().buckets();
    if (rules.ngram_buckets < 1) {
      return absl::InvalidArgumentError(
          "text_classifier.ngrams.buckets is 0, expected 1 or more");
    }
  }
  return rules;
}

absl::StatusOr<VocabularyRules> TaggerRules(
    const proto::SequenceTagger& model) {
  if (model.crf() || model.rnn().type() != proto::Rnn::LSTM) {
    return absl::UnimplementedError(
        "sequence_tagger: this version has an LSTM with a softmax, neither "
        "crf nor GRU");
  }
  VocabularyRules rules{.tagger = true};
  MEANFIELD_ASSIGN_OR_RETURN(rules.min_frequency,
                             MinFrequency(model.embeddings()));
  return rules;
}

}  // namespace

absl::StatusOr<VocabularyRules> VocabularyRulesOf(const proto::Model& model) {
  switch (model.kind_case()) {
    case proto::Model::kTextClassifier:
      return ClassifierRules(model.text_classifier());
    case proto::Model::kSequenceTagger:
      return TaggerRules(model.sequence_tagger());
    default:
      return absl::UnimplementedError(
          "this version trains text_classifier and sequence_tagger");
  }
}

ModelConfig MakeModelConfig(const proto::Model& model,
                            const Dictionaries& dictionaries) {
  if (model.has_text_classifier()) {
    return {MakeClassifier(model.text_classifier(), dictionaries)};
  }
  return {MakeTagger(model.sequence_tagger(), dictionaries)};
}

}  // namespace meanfield::corpus
