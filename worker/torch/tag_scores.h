#ifndef MEANFIELD_WORKER_TORCH_TAG_SCORES_H_
#define MEANFIELD_WORKER_TORCH_TAG_SCORES_H_

#include <ATen/core/Tensor.h>

#include "worker/torch/batch.h"
#include "worker/torch/local_model.h"
#include "worker/torch/packed_batch.h"

namespace meanfield {

// From a tagger's scores [rows, tags] to predictions in the batch's order.

// A softmax per token; `weights` of tags in the losses may be undefined.
void PredictTags(const at::Tensor& scores, const at::Tensor& weights,
                 const Batch& batch, const PackedBatch& packed,
                 Predictions& predictions);

// The best tagging of each sentence under a CRF; a loss per sentence.
void PredictTaggings(const at::Tensor& scores, const at::Tensor& transitions,
                     const Batch& batch, const PackedBatch& packed,
                     Predictions& predictions);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_TAG_SCORES_H_
