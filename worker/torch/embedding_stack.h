#ifndef MEANFIELD_WORKER_TORCH_EMBEDDING_STACK_H_
#define MEANFIELD_WORKER_TORCH_EMBEDDING_STACK_H_

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/model/model_config.h"
#include "common/tensor/tensor_spec.h"
#include "worker/torch/batch.h"
#include "worker/torch/net.h"
#include "worker/torch/packed_batch.h"

namespace meanfield {

// One of the embeddings of a model.
class EmbeddingLayer {
 public:
  virtual ~EmbeddingLayer() = default;
  virtual void Initialize() = 0;
  // The vectors of the batch's tokens, in packed row order.
  virtual at::Tensor Forward(const Batch& batch,
                             const PackedBatch& packed) const = 0;
};

// The embeddings of a model: each token becomes the concatenation of its
// vectors.
class EmbeddingStack {
 public:
  // Makes an uninitialised tensor of the model.
  using AddTensor = absl::FunctionRef<at::Tensor(
      std::string name, at::IntArrayRef shape, TensorRole role)>;

  // Names of the i-th embedding's tensors start with prefixes[i]. Frozen tables
  // have no gradient; those of trained ones are dense or sparse as `gradient`
  // says.
  EmbeddingStack(const std::vector<Embeddings>& embeddings,
                 const std::vector<std::string>& prefixes,
                 EmbeddingGradient gradient, AddTensor add);

  // Draws the first weights from LibTorch's default generator. Word vectors
  // that are fine-tuned start from a file: they become zeros here.
  void Initialize();

  // Of the vector of one token.
  int64_t size() const { return size_; }

  // [rows, size()], in packed row order.
  at::Tensor Forward(const Batch& batch, const PackedBatch& packed) const;

 private:
  int64_t size_ = 0;
  std::vector<std::unique_ptr<EmbeddingLayer>> layers_;
};

// Flair's names within a stack: `prefix` + "list_embedding_<i>.".
std::vector<std::string> ListPrefixes(std::string_view prefix, size_t count);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_EMBEDDING_STACK_H_
