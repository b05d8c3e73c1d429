#include "coordinator/corpus/embedding_tables.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/dictionary_builder.h"
#include "coordinator/corpus/word_vectors.h"
#include "google/protobuf/repeated_ptr_field.h"

namespace meanfield::corpus {
namespace {

using EmbeddingList = google::protobuf::RepeatedPtrField<proto::Embeddings>;

// Flair's name of the table of the i-th embedding: of the tensors of a stack,
// or of the only embedding of a tagger.
std::string VectorTensorName(const proto::Model& model, int index, int count) {
  if (model.has_text_classifier()) {
    return StrCat("embeddings.embeddings.list_embedding_", index,
                  ".embedding.weight");
  }
  return count == 1
             ? "embeddings.embedding.weight"
             : StrCat("embeddings.list_embedding_", index, ".embedding.weight");
}

// How many of the samples' tokens have a vector, where they are few.
void WarnOfMissingWords(const std::string& path,
                        const EmbeddingDictionary& vectors,
                        const SampleTable& table,
                        std::span<const int64_t> samples,
                        std::vector<std::string>& warnings) {
  std::vector<int64_t> counts(static_cast<size_t>(table.words().size()));
  for (const int64_t sample : samples) {
    for (const int32_t word : table.tokens(sample)) {
      ++counts[static_cast<size_t>(word)];
    }
  }
  int64_t tokens = 0;
  int64_t found = 0;
  for (int32_t word = 0; word < table.words().size(); ++word) {
    const int64_t count = counts[static_cast<size_t>(word)];
    tokens += count;
    if (vectors.Row(table.words().at(word)) < vectors.items.size()) {
      found += count;
    }
  }
  if (2 * found >= tokens) return;
  warnings.push_back(StrCat(path, ": has a vector for ", 100 * found / tokens,
                            " % of the training tokens only; all others share "
                            "one of zeros. Is it of the same language?"));
}

// Adds one embedding to the tables.
class Builder {
 public:
  Builder(const proto::Model& model, const SampleTable& table,
          std::span<const int64_t> samples, BlobStore& blobs)
      : model_(model), table_(table), samples_(samples), blobs_(blobs) {}

  absl::Status Add(const proto::Embeddings& embeddings, int index, int count) {
    if (embeddings.has_word_vectors()) {
      return AddWordVectors(embeddings.word_vectors(),
                            VectorTensorName(model_, index, count));
    }
    if (embeddings.has_characters()) {
      AddCharacters(embeddings.characters());
      return absl::OkStatus();
    }
    if (embeddings.has_one_hot()) {
      AddOneHot(embeddings.one_hot());
      return absl::OkStatus();
    }
    return absl::UnimplementedError(
        "the model's embeddings: this version has one_hot, word_vectors and "
        "characters");
  }

  EmbeddingTables Take() { return std::move(made_); }

 private:
  void AddOneHot(const proto::Embeddings::OneHot& one_hot) {
    Dictionary words = BuildWords(table_, samples_, one_hot.min_frequency());
    made_.configs.push_back(
        OneHotEmbeddings{.num_embeddings = words.size(),
                         .embedding_size = one_hot.embedding_size()});
    made_.dictionaries.push_back({EmbeddingKind::kOneHot, std::move(words)});
  }

  absl::Status AddWordVectors(const proto::Embeddings::WordVectors& vectors,
                              std::string tensor_name) {
    MEANFIELD_ASSIGN_OR_RETURN(
        WordVectors read,
        ReadWordVectors(vectors.file(), std::move(tensor_name), blobs_));
    const std::vector<int64_t>& shape = read.tensor.spec.shape;
    made_.configs.push_back(WordEmbeddings{.num_embeddings = shape[0],
                                           .embedding_size = shape[1],
                                           .fine_tune = vectors.fine_tune()});
    EmbeddingDictionary words{EmbeddingKind::kWordVectors,
                              std::move(read.words)};
    for (std::string& warning : read.warnings) {
      made_.warnings.push_back(std::move(warning));
    }
    WarnOfMissingWords(vectors.file(), words, table_, samples_, made_.warnings);
    made_.dictionaries.push_back(std::move(words));
    read.tensor.spec.role =
        vectors.fine_tune() ? TensorRole::kTrainable : TensorRole::kFrozen;
    (vectors.fine_tune() ? made_.given : made_.frozen)
        .push_back(std::move(read.tensor));
    return absl::OkStatus();
  }

  void AddCharacters(const proto::Embeddings::Characters& characters) {
    Dictionary items = BuildCharacters(table_, samples_);
    made_.configs.push_back(
        CharacterEmbeddings{.num_characters = items.size(),
                            .embedding_size = characters.embedding_size(),
                            .hidden_size = characters.hidden_size()});
    made_.dictionaries.push_back(
        {EmbeddingKind::kCharacters, std::move(items)});
  }

  const proto::Model& model_;
  const SampleTable& table_;
  const std::span<const int64_t> samples_;
  BlobStore& blobs_;
  EmbeddingTables made_;
};

}  // namespace

absl::StatusOr<EmbeddingTables> MakeEmbeddingTables(
    const proto::Model& model, const SampleTable& table,
    std::span<const int64_t> samples, BlobStore& blobs) {
  const EmbeddingList& list = model.has_text_classifier()
                                  ? model.text_classifier().embeddings()
                                  : model.sequence_tagger().embeddings();
  Builder builder(model, table, samples, blobs);
  for (int i = 0; i < list.size(); ++i) {
    MEANFIELD_RETURN_IF_ERROR(builder.Add(list[i], i, list.size()));
  }
  return builder.Take();
}

}  // namespace meanfield::corpus
