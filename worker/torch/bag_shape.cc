#include "worker/torch/bag_shape.h"

#include <variant>

#include "worker/torch/tensor_names.h"

namespace meanfield {

BagShape ShapeOfBag(const TextClassifierConfig& config) {
  const auto& words = std::get<OneHotEmbeddings>(config.embeddings.front());
  const auto& bag = std::get<BagConfig>(config.document);
  return {.num_rows = words.num_embeddings + bag.ngram_buckets,
          .size = words.embedding_size,
          .num_labels = config.num_labels,
          .pooling = bag.pooling};
}

std::vector<TensorSpec> BagSpecs(const BagShape& shape) {
  return {
      {.name = kEmbeddingWeight, .shape = {shape.num_rows, shape.size}},
      {.name = kDecoderWeight, .shape = {shape.num_labels, shape.size}},
      {.name = kDecoderBias, .shape = {shape.num_labels}},
  };
}

}  // namespace meanfield
