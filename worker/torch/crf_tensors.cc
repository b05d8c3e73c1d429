// The CRF in operations of LibTorch.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <utility>

#include "worker/torch/crf.h"

namespace meanfield {
namespace {

// log Σ exp over the forward variables of the tags before: [b, to], from
// before [b, from] and transitions [to, from].
at::Tensor StepForward(const at::Tensor& before,
                       const at::Tensor& transitions) {
  return at::logsumexp(before.unsqueeze(1) + transitions, 2);
}

class TensorCrf {
 public:
  TensorCrf(const at::Tensor& scores, const at::Tensor& transitions,
            const PackedBatch& packed, const std::vector<int64_t>& tags)
      : scores_(scores.to(at::kDouble)),
        transitions_(transitions.to(at::kDouble)),
        start_(transitions.size(0) - 2),
        stop_(transitions.size(0) - 1),
        packed_(packed),
        tags_(tags) {
    int64_t first = 0;
    for (const int64_t count : packed.batch_sizes) {
      first_rows_.push_back(first);
      first += count;
    }
  }

  at::Tensor Loss() {
    const int64_t steps = static_cast<int64_t>(first_rows_.size());
    at::Tensor alpha = Rows(scores_, 0) + transitions_.select(1, start_);
    std::vector<at::Tensor> alphas = {alpha};
    for (int64_t t = 1; t < steps; ++t) {
      alpha =
          Rows(scores_, t) +
          StepForward(alpha.narrow(0, 0, packed_.batch_sizes[t]), transitions_);
      alphas.push_back(alpha);
    }
    alphas_ = at::cat(alphas);
    log_sums_ = at::logsumexp(alphas_.index_select(0, ToDevice(LastRows())) +
                                  transitions_.select(0, stop_),
                              1);
    const at::Tensor gold =
        scores_.gather(1, ToDevice(tags_).unsqueeze(1)).sum() +
        (transitions_ * GoldTransitions()).sum();
    return log_sums_.sum() - gold;
  }

  // After Loss.
  CrfGradients Gradients(at::Tensor loss) {
    const at::Tensor betas = Betas();
    const at::Tensor log_sum_of_row =
        log_sums_.index_select(0, ToDevice(packed_.sequence_of_row))
            .unsqueeze(1);
    const at::Tensor probabilities = at::exp(alphas_ + betas - log_sum_of_row);
    const at::Tensor steps = scores_ + betas - log_sum_of_row;
    at::Tensor pairs = -GoldTransitions();
    for (size_t t = 1; t < first_rows_.size(); ++t) {
      const int64_t count = packed_.batch_sizes[t];
      pairs += at::exp(Rows(alphas_, t - 1).narrow(0, 0, count).unsqueeze(1) +
                       transitions_ + Rows(steps, t).unsqueeze(2))
                   .sum(0);
    }
    pairs.select(1, start_).add_(Rows(probabilities, 0).sum(0));
    pairs.select(0, stop_).add_(
        probabilities.index_select(0, ToDevice(LastRows())).sum(0));
    const at::Tensor right =
        at::one_hot(ToDevice(tags_), transitions_.size(0)).to(at::kDouble);
    return {.loss = std::move(loss),
            .scores = probabilities - right,
            .transitions = pairs};
  }

 private:
  at::Tensor ToDevice(const std::vector<int64_t>& values) const {
    return at::tensor(values, at::kLong).to(scores_.device());
  }

  at::Tensor Rows(const at::Tensor& of, size_t t) const {
    return of.narrow(0, first_rows_[t], packed_.batch_sizes[t]);
  }

  std::vector<int64_t> LastRows() const {
    std::vector<int64_t> rows;
    for (const auto& sentence : RowsOfSequences(packed_)) {
      rows.push_back(sentence.back());
    }
    return rows;
  }

  // How often each transition occurs in the right taggings.
  at::Tensor GoldTransitions() const {
    const at::Tensor counts = at::zeros(transitions_.sizes(), at::kDouble);
    double* count = counts.mutable_data_ptr<double>();
    for (const auto& sentence : RowsOfSequences(packed_)) {
      int64_t before = start_;
      for (const int64_t row : sentence) {
        count[tags_[row] * counts.size(1) + before] += 1;
        before = tags_[row];
      }
      count[stop_ * counts.size(1) + before] += 1;
    }
    return counts.to(scores_.device());
  }

  // Of each row and tag the log Σ exp over the rest of its sentence.
  at::Tensor Betas() const {
    const at::Tensor betas = at::empty_like(scores_);
    const at::Tensor by_from = transitions_.t().contiguous();  // [from, to]
    for (size_t t = first_rows_.size(); t-- > 0;) {
      Rows(betas, t).copy_(transitions_.select(0, stop_).expand(
          {packed_.batch_sizes[t], transitions_.size(0)}));
      if (t + 1 == first_rows_.size()) continue;
      Rows(betas, t)
          .narrow(0, 0, packed_.batch_sizes[t + 1])
          .copy_(
              StepForward(Rows(scores_, t + 1) + Rows(betas, t + 1), by_from));
    }
    return betas;
  }

  const at::Tensor scores_;
  const at::Tensor transitions_;
  const int64_t start_;
  const int64_t stop_;
  const PackedBatch& packed_;
  const std::vector<int64_t>& tags_;
  std::vector<int64_t> first_rows_;  // of each step
  at::Tensor alphas_;                // [rows, tags]
  at::Tensor log_sums_;              // [sentences]
};

}  // namespace

CrfGradients CrfByTensors(const at::Tensor& scores,
                          const at::Tensor& transitions,
                          const PackedBatch& packed,
                          const std::vector<int64_t>& tags, CrfNeeds needs) {
  TensorCrf crf(scores, transitions, packed, tags);
  at::Tensor loss = crf.Loss();
  if (needs == CrfNeeds::kLoss) return {.loss = std::move(loss)};
  return crf.Gradients(std::move(loss));
}

}  // namespace meanfield
