#ifndef MEANFIELD_WORKER_TORCH_SPARSE_BAG_H_
#define MEANFIELD_WORKER_TORCH_SPARSE_BAG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/model/model_config.h"
#include "common/model/training_config.h"
#include "worker/torch/bag_loss.h"
#include "worker/torch/bag_shape.h"
#include "worker/torch/local_model.h"
#include "worker/torch/row_buffer.h"

namespace meanfield {

// The bag classifier on the CPU, trained by plain SGD with loops of our own: a
// step costs as much as the rows that its texts use, whatever the size of the
// vocabulary, and rows that no text uses keep their bits. Gradients are those
// of the batch at the weights before the step, as autograd computes them.
class SparseBag : public LocalModel {
 public:
  // Trains only where LeavesUnusedRowsAlone(training). A batch is one pass
  // whatever the micro-batch size: only the rows in use take memory.
  SparseBag(const TextClassifierConfig& config, const TrainingConfig& training);

  std::vector<TensorSpec> Specs() const override { return BagSpecs(shape_); }
  void Load(const std::vector<const SafetensorsFile*>& files) override;
  absl::Status Save(const std::string& path) const override;
  LossSum Step(const Batch& batch, float learning_rate) override;
  void Predict(const Batch& batch, Predictions& predictions) override;

 private:
  // 1/length of a text for the mean, 1 for the sum; 0 for an empty text.
  float PoolingScale(size_t length) const;
  // documents_ and scores_ of the batch.
  void Forward(const Batch& batch);
  // decoder_gradient_ and document_gradients_, from d(loss)/d(scores) in
  // scores_.
  void Backward(const Batch& batch);
  // Adds the gradients of the rows named in the batch up, each row once, in
  // the order of their first use.
  void GatherRowGradients(const Batch& batch);
  // What to multiply gradients by so that their global norm is within the
  // limit.
  float ClipCoefficient() const;

  const BagShape shape_;
  const BagLoss loss_;
  const std::optional<double> max_grad_norm_;
  const double decoder_rate_factor_;
  const size_t size_;    // of a vector
  const size_t labels_;  // classes

  RowBuffer table_;
  std::vector<float> decoder_;  // [labels, size]
  std::vector<float> bias_;

  // Of the batch in hand; kept between steps to save allocations.
  std::vector<float> documents_;           // [batch, size]
  std::vector<float> scores_;              // [batch, labels]
  std::vector<float> document_gradients_;  // [batch, size]
  std::vector<float> decoder_gradient_;    // [labels, size]
  std::vector<float> bias_gradient_;
  // Only where gradients are clipped.
  std::vector<int32_t> slot_of_row_;  // -1: not in this batch
  std::vector<int32_t> used_rows_;    // row of each slot
  std::vector<float> row_gradients_;  // [slots, size]
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_SPARSE_BAG_H_
