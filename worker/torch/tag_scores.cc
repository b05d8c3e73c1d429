#include "worker/torch/tag_scores.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "worker/torch/crf.h"
#include "worker/torch/crf_kernels.h"

namespace meanfield {
namespace {

// to[item of row r] = values[r]
template <typename From, typename To>
void Unpack(const at::Tensor& values, const PackedBatch& packed,
            std::vector<To>& to) {
  const at::Tensor rows = values.cpu().contiguous();
  const From* row = rows.const_data_ptr<From>();
  to.resize(packed.item_of_row.size());
  for (const int64_t item : packed.item_of_row) {
    to[item] = static_cast<To>(*row++);
  }
}

}  // namespace

void PredictTags(const at::Tensor& scores, const at::Tensor& weights,
                 const Batch& batch, const PackedBatch& packed,
                 Predictions& predictions) {
  const at::Tensor log_probabilities = at::log_softmax(scores, 1);
  const auto [best, classes] = at::max(log_probabilities, 1);
  Unpack<int64_t>(classes, packed, predictions.classes);
  Unpack<float>(best.exp(), packed, predictions.probabilities);
  if (batch.targets.empty()) return;
  const at::Tensor targets =
      at::tensor(InRowOrder(batch.targets, packed), at::kLong)
          .to(scores.device());
  Unpack<float>(
      at::nll_loss(log_probabilities, targets, weights, at::Reduction::None),
      packed, predictions.losses);
}

void PredictTaggings(const at::Tensor& scores, const at::Tensor& transitions,
                     const Batch& batch, const PackedBatch& packed,
                     Predictions& predictions) {
  const at::Tensor values = scores.to(at::kFloat).cpu().contiguous();
  const at::Tensor on_cpu = transitions.cpu();
  Crf crf(on_cpu.const_data_ptr<float>(), on_cpu.size(0));
  const bool with_loss = !batch.targets.empty();
  const std::vector<int64_t> targets =
      with_loss ? InRowOrder(batch.targets, packed) : std::vector<int64_t>();
  std::vector<int32_t> tags(packed.num_rows());
  std::vector<float> confidences(packed.num_rows());
  predictions.losses.resize(with_loss ? batch.size() : 0);
  const std::vector<std::vector<int64_t>> sentences = RowsOfSequences(packed);
  for (size_t place = 0; place < sentences.size(); ++place) {
    const std::vector<int64_t>& rows = sentences[place];
    crf.Decode(values.const_data_ptr<float>(), rows, tags.data(),
               confidences.data());
    if (!with_loss) continue;
    predictions.losses[packed.samples[place]] = static_cast<float>(
        crf.Loss(values.const_data_ptr<float>(), rows, targets.data()));
  }
  predictions.classes.resize(tags.size());
  predictions.probabilities.resize(tags.size());
  for (size_t row = 0; row < tags.size(); ++row) {
    predictions.classes[packed.item_of_row[row]] = tags[row];
    predictions.probabilities[packed.item_of_row[row]] = confidences[row];
  }
}

}  // namespace meanfield
