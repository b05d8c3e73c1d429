#include "absl/strings/str_cat.h"
#include "coordinator/job/schema.h"
#include "coordinator/job/validate.h"

namespace meanfield::job {
namespace {

constexpr uint32_t kMaxWidth = 65536;
constexpr uint32_t kMaxLayers = 16;
constexpr uint32_t kMaxNgram = 8;
// Ids are 32-bit: words and buckets share them.
constexpr uint32_t kMaxBuckets = 1u << 30;

template <typename Model>
void ValidateEmbeddings(const Model& model, const std::string& path,
                        Checks& checks) {
  for (int i = 0; i < model.embeddings_size(); ++i) {
    const std::string at = Element(Member(path, "embeddings"), i);
    const proto::Embeddings& embeddings = model.embeddings(i);
    if (embeddings.has_one_hot()) {
      const std::string one_hot = Member(at, "one_hot");
      checks.Whole(Member(one_hot, "embedding_size"),
                   embeddings.one_hot().embedding_size(), 1, kMaxWidth);
      checks.Whole(Member(one_hot, "min_frequency"),
                   embeddings.one_hot().min_frequency(), 1, UINT32_MAX);
    } else if (embeddings.kind_case() == proto::Embeddings::KIND_NOT_SET) {
      checks.MissingAll(
          at,
          MemberNames(
              *proto::Embeddings::descriptor()->FindOneofByName("kind")),
          "\"embeddings\" is empty: name a kind, for example "
          "one_hot { embedding_size: 100 }");
    }
  }
}

void ValidateRnn(const proto::Rnn& rnn, const std::string& path,
                 Checks& checks) {
  checks.Whole(Member(path, "hidden_size"), rnn.hidden_size(), 1, kMaxWidth);
  checks.Whole(Member(path, "num_layers"), rnn.num_layers(), 1, kMaxLayers);
}

void ValidateClassifier(const proto::TextClassifier& classifier,
                        const std::string& path, Checks& checks) {
  ValidateEmbeddings(classifier, path, checks);
  if (classifier.has_rnn()) {
    ValidateRnn(classifier.rnn(), Member(path, "rnn"), checks);
  }
  if (!classifier.has_ngrams()) return;
  const std::string ngrams = Member(path, "ngrams");
  checks.Whole(Member(ngrams, "size"), classifier.ngrams().size(), 2,
               kMaxNgram);
  checks.Whole(Member(ngrams, "buckets"), classifier.ngrams().buckets(), 1,
               kMaxBuckets);
  if (classifier.has_rnn()) {
    checks.WrongField(ngrams,
                      "\"ngrams\" needs a bag: n-grams have no order that an "
                      "rnn could read");
  }
}

void ValidateTagger(const proto::SequenceTagger& tagger,
                    const std::string& path, Checks& checks) {
  ValidateEmbeddings(tagger, path, checks);
  ValidateRnn(tagger.rnn(), Member(path, "rnn"), checks);
  checks.Number(Member(path, "dropout"), tagger.dropout(), Interval::kBelowOne);
  checks.Number(Member(path, "word_dropout"), tagger.word_dropout(),
                Interval::kBelowOne);
  checks.Number(Member(path, "locked_dropout"), tagger.locked_dropout(),
                Interval::kBelowOne);
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
