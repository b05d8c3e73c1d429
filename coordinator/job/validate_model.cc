#include <cstdint>
#include <string>

#include "common/base/strings.h"
#include "coordinator/job/schema.h"
#include "coordinator/job/validate.h"

namespace meanfield::job {
namespace {

constexpr uint32_t kMaxWidth = 65536;
constexpr uint32_t kMaxLayers = 16;
constexpr uint32_t kMaxNgram = 8;
// Ids are 32-bit: words and buckets share them.
constexpr uint32_t kMaxBuckets = 1u << 30;

void ValidateRnn(const proto::Rnn& rnn, const std::string& path,
                 Checks& checks) {
  checks.Whole(Member(path, "hidden_size"), rnn.hidden_size(), 1, kMaxWidth);
  checks.Whole(Member(path, "num_layers"), rnn.num_layers(), 1, kMaxLayers);
}

void ValidateNgrams(const proto::TextClassifier& classifier,
                    const std::string& path, Checks& checks) {
  checks.Whole(Member(path, "size"), classifier.ngrams().size(), 2, kMaxNgram);
  checks.Whole(Member(path, "buckets"), classifier.ngrams().buckets(), 1,
               kMaxBuckets);
  if (classifier.has_rnn()) {
    checks.WrongField(path,
                      "\"ngrams\" needs a bag: n-grams have no order that an "
                      "rnn could read");
  }
}

template <typename Model>
void ValidateDropouts(const Model& model, const std::string& path,
                      Checks& checks) {
  checks.Number(Member(path, "dropout"), model.dropout(), Interval::kBelowOne);
  checks.Number(Member(path, "word_dropout"), model.word_dropout(),
                Interval::kBelowOne);
  checks.Number(Member(path, "locked_dropout"), model.locked_dropout(),
                Interval::kBelowOne);
}

void ValidateDocumentRnn(const proto::TextClassifier& classifier,
                         const std::string& path, Checks& checks) {
  ValidateRnn(classifier.rnn(), Member(path, "rnn"), checks);
  ValidateDropouts(classifier, path, checks);
  if (!classifier.has_reproject_words_dimension()) return;
  const std::string dimension = Member(path, "reproject_words_dimension");
  checks.Whole(dimension, classifier.reproject_words_dimension(), 1, kMaxWidth);
  if (!classifier.reproject_words()) {
    checks.WrongField(dimension,
                      "\"reproject_words_dimension\" needs reproject_words: "
                      "true");
  }
}

void ValidateBag(const proto::TextClassifier& classifier,
                 const std::string& path, Checks& checks) {
  for (int i = 0; i < classifier.embeddings_size(); ++i) {
    const proto::Embeddings& embeddings = classifier.embeddings(i);
    if (i == 0 && (embeddings.has_one_hot() ||
                   embeddings.kind_case() == proto::Embeddings::KIND_NOT_SET)) {
      continue;
    }
    checks.WrongField(Element(Member(path, "embeddings"), i),
                      "a bag has exactly one \"embeddings\", one_hot; for "
                      "others give the text_classifier an rnn {}");
    break;
  }
  const google::protobuf::Reflection& reflection = *classifier.GetReflection();
  for (const char* name : {"reproject_words", "reproject_words_dimension",
                           "dropout", "word_dropout", "locked_dropout"}) {
    const auto* field = classifier.GetDescriptor()->FindFieldByName(name);
    if (!reflection.HasField(classifier, field)) continue;
    checks.WrongField(Member(path, name),
                      StrCat("\"", name,
                             "\" needs an rnn: a bag has no use "
                             "for it"));
  }
}

void ValidateClassifier(const proto::TextClassifier& classifier,
                        const std::string& path, Checks& checks) {
  ValidateEmbeddings(classifier.embeddings(), path, checks);
  if (classifier.has_rnn()) {
    ValidateDocumentRnn(classifier, path, checks);
  } else {
    ValidateBag(classifier, path, checks);
  }
  if (classifier.has_ngrams()) {
    ValidateNgrams(classifier, Member(path, "ngrams"), checks);
  }
  ValidateLabelWeights(classifier.label_weights(), path, checks);
}

void ValidateTagger(const proto::SequenceTagger& tagger,
                    const std::string& path, Checks& checks) {
  ValidateEmbeddings(tagger.embeddings(), path, checks);
  ValidateRnn(tagger.rnn(), Member(path, "rnn"), checks);
  ValidateDropouts(tagger, path, checks);
  ValidateLabelWeights(tagger.label_weights(), path, checks);
  if (tagger.crf() && !tagger.label_weights().empty()) {
    checks.WrongField(Element(Member(path, "label_weights"), 0),
                      "\"label_weights\" beside crf: true: a crf scores whole "
                      "tag sequences; leave one of them out");
  }
}

void ValidateLanguageModel(const proto::LanguageModel& model,
                           const std::string& path, Checks& checks) {
  checks.Whole(Member(path, "hidden_size"), model.hidden_size(), 1, kMaxWidth);
  checks.Whole(Member(path, "num_layers"), model.num_layers(), 1, kMaxLayers);
  checks.Whole(Member(path, "embedding_size"), model.embedding_size(), 1,
               kMaxWidth);
  checks.Whole(Member(path, "sequence_length"), model.sequence_length(), 1,
               kMaxWidth);
  checks.Number(Member(path, "dropout"), model.dropout(), Interval::kBelowOne);
}

}  // namespace

void ValidateModel(const proto::Model& model, const std::string& path,
                   Checks& checks) {
  switch (model.kind_case()) {
    case proto::Model::kTextClassifier:
      return ValidateClassifier(model.text_classifier(),
                                Member(path, "text_classifier"), checks);
    case proto::Model::kSequenceTagger:
      return ValidateTagger(model.sequence_tagger(),
                            Member(path, "sequence_tagger"), checks);
    case proto::Model::kLanguageModel:
      return ValidateLanguageModel(model.language_model(),
                                   Member(path, "language_model"), checks);
    case proto::Model::kNuqe:
      if (model.nuqe().predict().empty()) {
        checks.Missing(Member(path, "nuqe"), "predict",
                       "\"nuqe\" needs \"predict\", for example "
                       "predict: [TARGET_TAGS]");
      }
      return;
    case proto::Model::KIND_NOT_SET:
      checks.MissingAll(
          path,
          MemberNames(*proto::Model::descriptor()->FindOneofByName("kind")),
          "a task needs a model: text_classifier or "
          "sequence_tagger");
      return;
  }
}

}  // namespace meanfield::job
