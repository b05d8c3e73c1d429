#include "worker/torch/embedding_stack.h"

#include <ATen/Functions.h>

#include <cmath>
#include <span>
#include <type_traits>
#include <variant>

#include "common/base/check.h"
#include "common/base/strings.h"
#include "worker/torch/character_embedding.h"
#include "worker/torch/row_gather.h"

namespace meanfield {
namespace {

enum class FirstValues { kXavier, kFromFile };

// A vector per row of a table: one-hot embeddings and word vectors.
class TableEmbedding : public EmbeddingLayer {
 public:
  // `row`: of the batch's ids.
  TableEmbedding(at::Tensor table, int64_t row, FirstValues first_values,
                 EmbeddingGradient gradient)
      : table_(std::move(table)),
        row_(row),
        first_values_(first_values),
        gradient_(gradient) {}

  void Initialize() override {
    if (first_values_ == FirstValues::kFromFile) {
      if (table_.requires_grad()) table_.data().zero_();
      return;
    }
    const double sizes = static_cast<double>(table_.size(0) + table_.size(1));
    const double bound = std::sqrt(6 / sizes);
    table_.data().uniform_(-bound, bound);
  }

  at::Tensor Forward(const Batch& batch,
                     const PackedBatch& packed) const override {
    const int64_t tokens = batch.offsets.back();
    const std::vector<int64_t> ids =
        InRowOrder(std::span(batch.ids).subspan(row_ * tokens, tokens), packed);
    if (gradient_ == EmbeddingGradient::kDense) return GatherRows(table_, ids);
    return at::embedding(table_, at::tensor(ids, at::kLong).to(table_.device()),
                         /*padding_idx=*/-1, /*scale_grad_by_freq=*/false,
                         /*sparse=*/true);
  }

 private:
  const at::Tensor table_;
  const int64_t row_;
  const FirstValues first_values_;
  const EmbeddingGradient gradient_;
};

}  // namespace

EmbeddingStack::EmbeddingStack(const std::vector<Embeddings>& embeddings,
                               const std::vector<std::string>& prefixes,
                               EmbeddingGradient gradient, AddTensor add) {
  MEANFIELD_CHECK(embeddings.size() == prefixes.size(),
                  "a name prefix for each embedding");
  int64_t tables = 0;
  for (size_t i = 0; i < embeddings.size(); ++i) {
    size_ += VectorSize(embeddings[i]);
    if (const auto* one_hot = std::get_if<OneHotEmbeddings>(&embeddings[i])) {
      layers_.push_back(std::make_unique<TableEmbedding>(
          add(prefixes[i] + "embedding_layer.weight",
              {one_hot->num_embeddings, one_hot->embedding_size},
              TensorRole::kTrainable),
          tables++, FirstValues::kXavier, gradient));
    } else if (const auto* words =
                   std::get_if<WordEmbeddings>(&embeddings[i])) {
      layers_.push_back(std::make_unique<TableEmbedding>(
          add(prefixes[i] + "embedding.weight",
              {words->num_embeddings, words->embedding_size},
              words->fine_tune ? TensorRole::kTrainable : TensorRole::kFrozen),
          tables++, FirstValues::kFromFile, gradient));
    } else {
      layers_.push_back(std::make_unique<CharacterEmbedding>(
          std::get<CharacterEmbeddings>(embeddings[i]), prefixes[i], add));
    }
  }
}

void EmbeddingStack::Initialize() {
  for (const auto& layer : layers_) layer->Initialize();
}

at::Tensor EmbeddingStack::Forward(const Batch& batch,
                                   const PackedBatch& packed) const {
  std::vector<at::Tensor> vectors;
  for (const auto& layer : layers_) {
    vectors.push_back(layer->Forward(batch, packed));
  }
  return vectors.size() == 1 ? vectors.front() : at::cat(vectors, /*dim=*/1);
}

std::vector<std::string> ListPrefixes(std::string_view prefix, size_t count) {
  std::vector<std::string> prefixes;
  for (size_t i = 0; i < count; ++i) {
    prefixes.push_back(StrCat(prefix, "list_embedding_", i, "."));
  }
  return prefixes;
}

}  // namespace meanfield
