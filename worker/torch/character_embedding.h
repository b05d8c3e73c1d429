#ifndef MEANFIELD_WORKER_TORCH_CHARACTER_EMBEDDING_H_
#define MEANFIELD_WORKER_TORCH_CHARACTER_EMBEDDING_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "common/model/model_config.h"
#include "worker/torch/embedding_stack.h"

namespace meanfield {

// Flair's CharacterEmbeddings: a BiLSTM over the characters of a word, read at
// its last character. The forward half is the state after the whole word; the
// reverse direction has read nothing but the last character there, so one step
// of it is computed. Each distinct word of a batch is computed once. (Flair
// gives a word that occurs twice in a batch the vector of another word.)
class CharacterEmbedding : public EmbeddingLayer {
 public:
  CharacterEmbedding(const CharacterEmbeddings& config,
                     const std::string& prefix, EmbeddingStack::AddTensor add);

  void Initialize() override;
  at::Tensor Forward(const Batch& batch,
                     const PackedBatch& packed) const override;

 private:
  at::Tensor characters_;            // [num_characters, embedding_size]
  std::vector<at::Tensor> forward_;  // weight_ih, weight_hh, bias_ih, bias_hh
  std::vector<at::Tensor> reverse_;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_CHARACTER_EMBEDDING_H_
