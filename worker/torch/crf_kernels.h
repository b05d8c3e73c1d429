#ifndef MEANFIELD_WORKER_TORCH_CRF_KERNELS_H_
#define MEANFIELD_WORKER_TORCH_CRF_KERNELS_H_

#include <cstdint>
#include <span>
#include <vector>

namespace meanfield {

// A sentence among rows of scores [rows, num_tags]: of each token its row.
using TokenRows = std::span<const int64_t>;

// A linear-chain conditional random field over num_tags tags of which the last
// two are <START> and <STOP>: loops for the CPU, in double, every sum in a
// fixed order. For one sentence of scores e_1 … e_L and transitions T[to,
// from],
//   score(tags) = Σ_t (e_t[y_t] + T[y_t, y_{t-1}]) + T[STOP, y_L], y_0 = START.
class Crf {
 public:
  // `transitions` [num_tags, num_tags] is read here only.
  Crf(const float* transitions, int64_t num_tags);

  // log Σ exp(score of all taggings) - score(tags). Rows of `scores` lie
  // num_tags apart. A sentence has one token at least.
  double Loss(const float* scores, TokenRows rows, const int64_t* tags);

  // As Loss; rows of `gradient` become d(loss)/d(scores), and what the
  // sentence adds to d(loss)/d(transitions) is kept for TransitionGradient.
  double LossAndGradient(const float* scores, TokenRows rows,
                         const int64_t* tags, float* gradient);
  // Of all sentences so far: [num_tags, num_tags].
  std::vector<double> TransitionGradient() const;

  // The best tagging (of equal tags the first; never <START> or <STOP>), and of
  // each token Flair's confidence: the largest of the softmax over the scores
  // of the best taggings that end in each tag there, <STOP> among them. Both
  // are set per row.
  void Decode(const float* scores, TokenRows rows, int32_t* tags,
              float* confidences);

 private:
  int64_t start() const { return n_ - 2; }
  int64_t stop() const { return n_ - 1; }
  double TaggingScore(const float* scores, TokenRows rows,
                      const int64_t* tags) const;
  // Fills the forward variables and returns log Σ exp(score).
  double Forward(const float* scores, TokenRows rows);
  bool ForwardScaled(const float* scores, TokenRows rows, double& log_sum);
  double ForwardInLogs(const float* scores, TokenRows rows);
  void BackwardScaled(TokenRows rows, float* gradient);
  void BackwardInLogs(const float* scores, TokenRows rows, double log_sum,
                      float* gradient);

  const int64_t n_;                       // tags
  std::vector<double> transitions_;       // [to, from]
  std::vector<double> transitions_from_;  // [from, to]
  double most_ = 0;                       // largest transition
  std::vector<double> factors_;           // exp(T - most_), [to, from]
  std::vector<double> factors_from_;      // [from, to]
  double growth_ = 1;  // largest sum of the factors from one tag, at least 1

  // Of the sentence in hand.
  bool in_logs_ = false;
  std::vector<double> alpha_;    // [L+1, n], scaled to sum 1; or logs
  std::vector<double> weights_;  // [L, n], exp(e_t - max e_t)
  std::vector<double> sums_;     // [L+1], what alpha was divided by

  // Of all sentences: expected transitions, to be multiplied by factors_; those
  // of sentences computed in logs, as they are; and those of the right
  // taggings.
  std::vector<double> scaled_pairs_;
  std::vector<double> pairs_;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_CRF_KERNELS_H_
