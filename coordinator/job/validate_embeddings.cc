#include <cstdint>
#include <string>

#include "common/base/strings.h"
#include "coordinator/job/schema.h"
#include "coordinator/job/validate.h"

namespace meanfield::job {
namespace {

constexpr uint32_t kMaxWidth = 65536;
constexpr int kMaxEmbeddings = 16;

void ValidateOneHot(const proto::Embeddings::OneHot& one_hot,
                    const std::string& path, Checks& checks) {
  checks.Whole(Member(path, "embedding_size"), one_hot.embedding_size(), 1,
               kMaxWidth);
  checks.Whole(Member(path, "min_frequency"), one_hot.min_frequency(), 1,
               UINT32_MAX);
}

void ValidateWordVectors(const proto::Embeddings::WordVectors& vectors,
                         const std::string& path, Checks& checks) {
  if (!vectors.file().empty()) return;
  checks.Missing(path, "file",
                 "\"word_vectors\" needs \"file\": the vectors of words in "
                 "lines of text (GloVe, word2vec), or word2vec's .bin");
}

void ValidateCharacters(const proto::Embeddings::Characters& characters,
                        const std::string& path, Checks& checks) {
  checks.Whole(Member(path, "embedding_size"), characters.embedding_size(), 1,
               kMaxWidth);
  checks.Whole(Member(path, "hidden_size"), characters.hidden_size(), 1,
               kMaxWidth);
}

void ValidateOne(const proto::Embeddings& embeddings, const std::string& path,
                 Checks& checks) {
  switch (embeddings.kind_case()) {
    case proto::Embeddings::kOneHot:
      return ValidateOneHot(embeddings.one_hot(), Member(path, "one_hot"),
                            checks);
    case proto::Embeddings::kWordVectors:
      return ValidateWordVectors(embeddings.word_vectors(),
                                 Member(path, "word_vectors"), checks);
    case proto::Embeddings::kCharacters:
      return ValidateCharacters(embeddings.characters(),
                                Member(path, "characters"), checks);
    case proto::Embeddings::KIND_NOT_SET:
      return checks.MissingAll(
          path,
          MemberNames(
              *proto::Embeddings::descriptor()->FindOneofByName("kind")),
          "\"embeddings\" is empty: name a kind, for example "
          "one_hot { embedding_size: 100 }");
  }
}

}  // namespace

void ValidateEmbeddings(const EmbeddingList& list, const std::string& path,
                        Checks& checks) {
  int characters = 0;
  for (int i = 0; i < list.size(); ++i) {
    const std::string at = Element(Member(path, "embeddings"), i);
    ValidateOne(list[i], at, checks);
    characters += list[i].has_characters() ? 1 : 0;
    if (list[i].has_characters() && characters == 2) {
      checks.WrongField(at,
                        "\"characters\" a second time: a model has one of "
                        "them at most");
    }
    if (i == kMaxEmbeddings) {
      checks.WrongField(at, StrCat("more than ", kMaxEmbeddings,
                                   " \"embeddings\": a model has ",
                                   kMaxEmbeddings, " at most"));
    }
  }
}

}  // namespace meanfield::job
