#include "worker/torch/sparse_bag.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/check.h"
#include "common/base/status.h"
#include "worker/torch/bag_kernels.h"
#include "worker/torch/tensor_names.h"

namespace meanfield {
namespace {

void Copy(const std::vector<const SafetensorsFile*>& files,
          std::string_view name, float* to) {
  for (const SafetensorsFile* file : files) {
    const TensorView* tensor = file->Find(name);
    if (tensor == nullptr) continue;
    std::memcpy(to, tensor->bytes.data(), tensor->bytes.size());
    return;
  }
}

void Copy(std::span<const float> from, std::string_view name,
          SafetensorsWriter& writer) {
  const std::span<float> to = writer.MutableAs<float>(name);
  MEANFIELD_CHECK(to.size() == from.size(), name);
  std::memcpy(to.data(), from.data(), from.size_bytes());
}

}  // namespace

SparseBag::SparseBag(const TextClassifierConfig& config,
                     const TrainingConfig& training)
    : shape_(ShapeOfBag(config)),
      loss_(config, training.loss),
      max_grad_norm_(training.max_grad_norm),
      decoder_rate_factor_(training.decoder_learning_rate_factor),
      size_(static_cast<size_t>(shape_.size)),
      labels_(static_cast<size_t>(shape_.num_labels)),
      table_(static_cast<size_t>(shape_.num_rows) * size_),
      decoder_(labels_ * size_),
      bias_(labels_) {}

void SparseBag::Load(const std::vector<const SafetensorsFile*>& files) {
  Copy(files, kEmbeddingWeight, table_.data());
  Copy(files, kDecoderWeight, decoder_.data());
  Copy(files, kDecoderBias, bias_.data());
}

absl::Status SparseBag::Save(const std::string& path) const {
  MEANFIELD_ASSIGN_OR_RETURN(SafetensorsWriter writer,
                             SafetensorsWriter::Create(path, Specs()));
  Copy(table_.span(), kEmbeddingWeight, writer);
  Copy(decoder_, kDecoderWeight, writer);
  Copy(bias_, kDecoderBias, writer);
  return writer.Finish();
}

float SparseBag::PoolingScale(size_t length) const {
  if (length == 0) return 0;
  return shape_.pooling == Pooling::kMean ? 1 / static_cast<float>(length) : 1;
}

void SparseBag::Forward(const Batch& batch) {
  const size_t count = static_cast<size_t>(batch.size());
  documents_.assign(count * size_, 0);
  scores_.resize(count * labels_);
  for (size_t i = 0; i < count; ++i) {
    const std::span<const int32_t> ids = batch.IdsOf(i);
    const std::span<float> document(&documents_[i * size_], size_);
    AddRows(table_.data(), ids, document);
    const float scale = PoolingScale(ids.size());
    for (float& value : document) value *= scale;
    float* scores = &scores_[i * labels_];
    for (size_t label = 0; label < labels_; ++label) {
      scores[label] =
          bias_[label] + Dot(document.data(), &decoder_[label * size_], size_);
    }
  }
}

void SparseBag::Backward(const Batch& batch) {
  document_gradients_.assign(documents_.size(), 0);
  decoder_gradient_.assign(decoder_.size(), 0);
  bias_gradient_.assign(labels_, 0);
  for (int64_t i = 0; i < batch.size(); ++i) {
    const float* gradient = &scores_[i * labels_];
    AddScaled(1, gradient, labels_, bias_gradient_.data());
    for (size_t label = 0; label < labels_; ++label) {
      AddScaled(gradient[label], &documents_[i * size_], size_,
                &decoder_gradient_[label * size_]);
      AddScaled(gradient[label], &decoder_[label * size_], size_,
                &document_gradients_[i * size_]);
    }
  }
}

void SparseBag::GatherRowGradients(const Batch& batch) {
  if (slot_of_row_.empty()) slot_of_row_.assign(shape_.num_rows, -1);
  used_rows_.clear();
  row_gradients_.clear();
  for (int64_t i = 0; i < batch.size(); ++i) {
    const std::span<const int32_t> ids = batch.IdsOf(i);
    const float scale = PoolingScale(ids.size());
    for (const int32_t id : ids) {
      int32_t& slot = slot_of_row_[id];
      if (slot < 0) {
        slot = static_cast<int32_t>(used_rows_.size());
        used_rows_.push_back(id);
        row_gradients_.resize(row_gradients_.size() + size_);
      }
      AddScaled(scale, &document_gradients_[i * size_], size_,
                &row_gradients_[slot * size_]);
    }
  }
  for (const int32_t row : used_rows_) slot_of_row_[row] = -1;
}

float SparseBag::ClipCoefficient() const {
  const double norm =
      std::sqrt(SquaredNorm(row_gradients_) + SquaredNorm(decoder_gradient_) +
                SquaredNorm(bias_gradient_));
  return static_cast<float>(std::min(1.0, *max_grad_norm_ / (norm + 1e-6)));
}

LossSum SparseBag::Step(const Batch& batch, float learning_rate) {
  Forward(batch);
  const LossSum loss = loss_.Differentiate(batch, scores_);
  Backward(batch);
  if (max_grad_norm_) {
    GatherRowGradients(batch);
    const float step = -learning_rate * ClipCoefficient();
    for (size_t slot = 0; slot < used_rows_.size(); ++slot) {
      AddScaled(step, &row_gradients_[slot * size_], size_,
                table_.data() + used_rows_[slot] * size_);
    }
    learning_rate = -step;
  } else {
    for (int64_t i = 0; i < batch.size(); ++i) {
      const std::span<const int32_t> ids = batch.IdsOf(i);
      const std::span<float> delta(&document_gradients_[i * size_], size_);
      const float step = -learning_rate * PoolingScale(ids.size());
      for (float& value : delta) value *= step;
      AddToRows(delta, ids, table_.data());
    }
  }
  const float decoder_step =
      static_cast<float>(-learning_rate * decoder_rate_factor_);
  AddScaled(decoder_step, decoder_gradient_.data(), decoder_.size(),
            decoder_.data());
  AddScaled(decoder_step, bias_gradient_.data(), labels_, bias_.data());
  return loss;
}

void SparseBag::Predict(const Batch& batch, Predictions& predictions) {
  predictions = {};
  Forward(batch);
  loss_.Predict(batch, scores_, predictions);
}

}  // namespace meanfield
