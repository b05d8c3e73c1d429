#ifndef MEANFIELD_WORKER_TORCH_CRF_H_
#define MEANFIELD_WORKER_TORCH_CRF_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "worker/torch/packed_batch.h"

namespace meanfield {

// Σ over the sentences of -log p(tags): see crf_kernels.h. Scores [rows,
// num_tags] and `tags` are in packed row order; transitions [to, from]. One
// function for autograd: the gradients are computed along with the loss.
at::Tensor CrfLoss(const at::Tensor& scores, const at::Tensor& transitions,
                   const PackedBatch& packed, const std::vector<int64_t>& tags);

struct CrfGradients {
  at::Tensor loss;         // F64 scalar
  at::Tensor scores;       // undefined unless they were asked for
  at::Tensor transitions;  // likewise
};
enum class CrfNeeds { kLoss, kGradients };

// The two ways of computing them. On the CPU with loops:
CrfGradients CrfByLoops(const at::Tensor& scores, const at::Tensor& transitions,
                        const PackedBatch& packed,
                        const std::vector<int64_t>& tags, CrfNeeds needs);
// Anywhere with operations of LibTorch, in logs, a step at a time.
CrfGradients CrfByTensors(const at::Tensor& scores,
                          const at::Tensor& transitions,
                          const PackedBatch& packed,
                          const std::vector<int64_t>& tags, CrfNeeds needs);

// Of each place of the packed batch the rows of its tokens.
std::vector<std::vector<int64_t>> RowsOfSequences(const PackedBatch& packed);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_CRF_H_
