#ifndef MEANFIELD_WORKER_TORCH_BAG_SHAPE_H_
#define MEANFIELD_WORKER_TORCH_BAG_SHAPE_H_

#include <cstdint>
#include <vector>

#include "common/model/model_config.h"
#include "common/tensor/tensor_spec.h"

namespace meanfield {

// A text classifier whose document is a bag, in numbers.
struct BagShape {
  int64_t num_rows = 0;  // words and n-grams
  int64_t size = 0;      // of a vector
  int64_t num_labels = 0;
  Pooling pooling = Pooling::kMean;
};

BagShape ShapeOfBag(const TextClassifierConfig& config);

// The table, the decoder's weight and its bias.
std::vector<TensorSpec> BagSpecs(const BagShape& shape);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_BAG_SHAPE_H_
