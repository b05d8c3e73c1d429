#include "worker/torch/sparse_bag.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "common/base/check.h"
#include "common/base/status.h"
#include "worker/torch/bag_kernels.h"
#include "worker/torch/tensor_names.h"

namespace meanfield {
namespace {

void Copy(const SafetensorsFile& file, std::string_view name, float* to) {
  const TensorView* tensor = file.Find(name);
  MEANFIELD_CHECK(tensor != nullptr, name);
  std::memcpy(to, tensor->bytes.data(), tensor->bytes.size());
}

void Copy(std::span<const float> from, std::string_view name,
          SafetensorsWriter& writer) {
  const std::span<float> to = writer.MutableAs<float>(name);
  MEANFIELD_CHECK(to.size() == from.size(), name);
  std::memcpy(to.data(), from.data(), from.size_bytes());
}

}  // namespace

std::vector<TensorSpec> BagSpecs(const TextClassifierConfig& config) {
  const OneHotEmbeddings& words = config.embeddings;
  return {
      {.name = kEmbeddingWeight,
       .shape = {words.num_embeddings + config.ngram_buckets,
                 words.embedding_size}},
      {.name = kDecoderWeight,
       .shape = {config.num_labels, words.embedding_size}},
      {.name = kDecoderBias, .shape = {config.num_labels}},
  };
}

bool SparseBag::Supports(const TrainingConfig& training) {
  const auto* sgd = std::get_if<SgdConfig>(&training.optimizer);
  return sgd != nullptr && sgd->momentum == 0 && sgd->weight_decay == 0;
}

SparseBag::SparseBag(const TextClassifierConfig& config,
                     const TrainingConfig& training)
    : config_(config),
      reduction_(training.loss),
      max_grad_norm_(training.max_grad_norm),
      size_(static_cast<size_t>(config.embeddings.embedding_size)),
      labels_(static_cast<size_t>(config.num_labels)),
      table_(static_cast<size_t>(NumElements(BagSpecs(config).front()))),
      decoder_(labels_ * size_),
      bias_(labels_) {}

void SparseBag::Load(const SafetensorsFile& weights) {
  Copy(weights, kEmbeddingWeight, table_.data());
  Copy(weights, kDecoderWeight, decoder_.data());
  Copy(weights, kDecoderBias, bias_.data());
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
  return config_.pooling == Pooling::kMean ? 1 / static_cast<float>(length) : 1;
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

LossSum SparseBag::Loss(const Batch& batch) {
  LossSum loss{.count = batch.num_items};
  const float scale = reduction_ == LossReduction::kMean
                          ? 1 / static_cast<float>(loss.count)
                          : 1;
  for (int64_t i = 0; i < batch.num_items; ++i) {
    const std::span<float> scores(&scores_[i * labels_], labels_);
    float& of_target = scores[batch.targets[i]];
    const float score = of_target;
    loss.sum += SoftmaxInPlace(scores) - score;
    of_target -= 1;
    for (float& value : scores) value *= scale;
  }
  return loss;
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
  const TensorSpec table = BagSpecs(config_).front();
  if (slot_of_row_.empty()) slot_of_row_.assign(table.shape[0], -1);
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
  const LossSum loss = Loss(batch);
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
  AddScaled(-learning_rate, decoder_gradient_.data(), decoder_.size(),
            decoder_.data());
  AddScaled(-learning_rate, bias_gradient_.data(), labels_, bias_.data());
  return loss;
}

void SparseBag::Predict(const Batch& batch, Predictions& predictions) {
  predictions = {};
  Forward(batch);
  for (int64_t i = 0; i < batch.num_items; ++i) {
    const std::span<float> scores(&scores_[i * labels_], labels_);
    const auto best = std::max_element(scores.begin(), scores.end());
    const float score = batch.targets.empty() ? 0 : scores[batch.targets[i]];
    const float log_sum = SoftmaxInPlace(scores);
    predictions.classes.push_back(static_cast<int32_t>(best - scores.begin()));
    predictions.probabilities.push_back(*best);
    if (!batch.targets.empty()) {
      predictions.losses.push_back(log_sum - score);
    }
  }
}

}  // namespace meanfield
