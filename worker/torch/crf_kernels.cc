#include "worker/torch/crf_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "worker/torch/vector_clones.h"

namespace meanfield {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// The forward variables are kept as numbers that add up to 1. What is below
// 1e-307 is lost, and may weigh more afterwards: by at most growth / sum in
// each step. As long as the product of these factors stays below e^500 = 1e217,
// what was lost cannot matter. Beyond that a sentence is computed in logs.
constexpr double kMostLogGrowth = 500;

MEANFIELD_VECTOR_CLONES
void AddScaled(double a, const double* __restrict x, int64_t size,
               double* __restrict y) {
  for (int64_t j = 0; j < size; ++j) y[j] += a * x[j];
}

double LogSumExp(const double* x, int64_t size) {
  const double most = *std::max_element(x, x + size);
  if (most == kNever) return kNever;
  double sum = 0;
  for (int64_t i = 0; i < size; ++i) sum += std::exp(x[i] - most);
  return most + std::log(sum);
}

}  // namespace

Crf::Crf(const float* transitions, int64_t num_tags)
    : n_(num_tags),
      transitions_(transitions, transitions + num_tags * num_tags),
      transitions_from_(transitions_.size()),
      most_(*std::max_element(transitions_.begin(), transitions_.end())),
      factors_(transitions_.size()),
      factors_from_(transitions_.size()),
      scaled_pairs_(transitions_.size()),
      pairs_(transitions_.size()) {
  for (int64_t from = 0; from < n_; ++from) {
    double sum = 0;
    for (int64_t to = 0; to < n_; ++to) {
      const double transition = transitions_[to * n_ + from];
      const double factor = std::exp(transition - most_);
      transitions_from_[from * n_ + to] = transition;
      factors_[to * n_ + from] = factors_from_[from * n_ + to] = factor;
      sum += factor;
    }
    growth_ = std::max(growth_, sum);
  }
}

double Crf::TaggingScore(const float* scores, TokenRows rows,
                         const int64_t* tags) const {
  double score = 0;
  int64_t before = start();
  for (const int64_t row : rows) {
    const int64_t tag = tags[row];
    score += double{scores[row * n_ + tag]} + transitions_[tag * n_ + before];
    before = tag;
  }
  return score + transitions_[stop() * n_ + before];
}

bool Crf::ForwardScaled(const float* scores, TokenRows rows, double& log_sum) {
  const size_t length = rows.size();
  alpha_.assign((length + 1) * n_, 0);
  weights_.resize(length * n_);
  sums_.resize(length + 1);
  alpha_[start()] = 1;
  log_sum = static_cast<double>(length + 1) * most_;
  double log_growth = 0;
  for (size_t t = 0; t < length; ++t) {
    const float* score = scores + rows[t] * n_;
    const float most = *std::max_element(score, score + n_);
    double* weights = &weights_[t * n_];
    const double* before = &alpha_[t * n_];
    double* alpha = &alpha_[(t + 1) * n_];
    for (int64_t from = 0; from < n_; ++from) {
      if (before[from] == 0) continue;
      AddScaled(before[from], &factors_from_[from * n_], n_, alpha);
    }
    double sum = 0;
    for (int64_t j = 0; j < n_; ++j) {
      weights[j] = std::exp(double{score[j]} - most);
      alpha[j] *= weights[j];
      sum += alpha[j];
    }
    const double log = std::log(sum);
    log_growth += std::log(growth_) - log;
    // NaN also ends here.
    if (!(log_growth <= kMostLogGrowth)) return false;
    for (int64_t j = 0; j < n_; ++j) alpha[j] /= sum;
    sums_[t] = sum;
    log_sum += log + most;
  }
  const double* last = &alpha_[length * n_];
  double sum = 0;
  for (int64_t j = 0; j < n_; ++j) sum += last[j] * factors_[stop() * n_ + j];
  sums_[length] = sum;
  log_sum += std::log(sum);
  return log_growth - std::log(sum) <= kMostLogGrowth;
}

double Crf::ForwardInLogs(const float* scores, TokenRows rows) {
  const size_t length = rows.size();
  alpha_.assign((length + 1) * n_, kNever);
  alpha_[start()] = 0;
  std::vector<double> terms(n_);
  for (size_t t = 0; t < length; ++t) {
    const double* before = &alpha_[t * n_];
    for (int64_t to = 0; to < n_; ++to) {
      for (int64_t from = 0; from < n_; ++from) {
        terms[from] = before[from] + transitions_[to * n_ + from];
      }
      alpha_[(t + 1) * n_ + to] =
          double{scores[rows[t] * n_ + to]} + LogSumExp(terms.data(), n_);
    }
  }
  for (int64_t from = 0; from < n_; ++from) {
    terms[from] = alpha_[length * n_ + from] + transitions_[stop() * n_ + from];
  }
  return LogSumExp(terms.data(), n_);
}

double Crf::Forward(const float* scores, TokenRows rows) {
  double log_sum = 0;
  in_logs_ = !ForwardScaled(scores, rows, log_sum);
  return in_logs_ ? ForwardInLogs(scores, rows) : log_sum;
}

double Crf::Loss(const float* scores, TokenRows rows, const int64_t* tags) {
  return Forward(scores, rows) - TaggingScore(scores, rows, tags);
}

double Crf::LossAndGradient(const float* scores, TokenRows rows,
                            const int64_t* tags, float* gradient) {
  const double log_sum = Forward(scores, rows);
  if (in_logs_) {
    BackwardInLogs(scores, rows, log_sum, gradient);
  } else {
    BackwardScaled(rows, gradient);
  }
  int64_t before = start();
  for (const int64_t row : rows) {
    gradient[row * n_ + tags[row]] -= 1;
    pairs_[tags[row] * n_ + before] -= 1;
    before = tags[row];
  }
  pairs_[stop() * n_ + before] -= 1;
  return log_sum - TaggingScore(scores, rows, tags);
}

// With beta scaled as alpha is, alpha_t · beta_t are the probabilities of the
// tags at t, and alpha_{t-1}[from] · factors[to, from] · step[to] those of the
// transitions into t.
void Crf::BackwardScaled(TokenRows rows, float* gradient) {
  const size_t length = rows.size();
  std::vector<double> beta(n_);
  std::vector<double> step(n_);
  for (int64_t j = 0; j < n_; ++j) {
    beta[j] = factors_[stop() * n_ + j] / sums_[length];
  }
  AddScaled(1 / sums_[length], &alpha_[length * n_], n_,
            &scaled_pairs_[stop() * n_]);
  for (size_t t = length; t-- > 0;) {
    const double* alpha = &alpha_[(t + 1) * n_];
    const double* before = &alpha_[t * n_];
    for (int64_t j = 0; j < n_; ++j) {
      gradient[rows[t] * n_ + j] = static_cast<float>(alpha[j] * beta[j]);
      step[j] = weights_[t * n_ + j] * beta[j] / sums_[t];
    }
    std::fill(beta.begin(), beta.end(), 0.0);
    for (int64_t to = 0; to < n_; ++to) {
      if (step[to] == 0) continue;
      AddScaled(step[to], before, n_, &scaled_pairs_[to * n_]);
      AddScaled(step[to], &factors_[to * n_], n_, beta.data());
    }
  }
}

void Crf::BackwardInLogs(const float* scores, TokenRows rows, double log_sum,
                         float* gradient) {
  const size_t length = rows.size();
  std::vector<double> beta(n_);
  std::vector<double> step(n_);
  std::vector<double> terms(n_);
  for (int64_t j = 0; j < n_; ++j) {
    beta[j] = transitions_[stop() * n_ + j];
    pairs_[stop() * n_ + j] +=
        std::exp(alpha_[length * n_ + j] + beta[j] - log_sum);
  }
  for (size_t t = length; t-- > 0;) {
    const double* alpha = &alpha_[(t + 1) * n_];
    const double* before = &alpha_[t * n_];
    for (int64_t to = 0; to < n_; ++to) {
      gradient[rows[t] * n_ + to] =
          static_cast<float>(std::exp(alpha[to] + beta[to] - log_sum));
      step[to] = double{scores[rows[t] * n_ + to]} + beta[to];
    }
    for (int64_t from = 0; from < n_; ++from) {
      for (int64_t to = 0; to < n_; ++to) {
        terms[to] = transitions_from_[from * n_ + to] + step[to];
        pairs_[to * n_ + from] += std::exp(before[from] + terms[to] - log_sum);
      }
      beta[from] = LogSumExp(terms.data(), n_);
    }
  }
}

std::vector<double> Crf::TransitionGradient() const {
  std::vector<double> gradient(pairs_);
  for (size_t i = 0; i < gradient.size(); ++i) {
    gradient[i] += factors_[i] * scaled_pairs_[i];
  }
  return gradient;
}

void Crf::Decode(const float* scores, TokenRows rows, int32_t* tags,
                 float* confidences) {
  const size_t length = rows.size();
  const int64_t real = n_ - 2;  // neither <START> nor <STOP>
  std::vector<int32_t> pointers(length * n_);
  std::vector<double> best(n_);
  std::vector<double> before(n_);
  for (size_t t = 0; t < length; ++t) {
    const float* score = scores + rows[t] * n_;
    best.swap(before);
    for (int64_t to = 0; to < n_; ++to) {
      const double* transitions = &transitions_[to * n_];
      double most = t == 0 ? transitions[start()] : before[0] + transitions[0];
      int32_t pointer = 0;
      for (int32_t from = 1; t > 0 && from < real; ++from) {
        const double sum = before[from] + transitions[from];
        if (sum > most) {
          most = sum;
          pointer = from;
        }
      }
      best[to] = most + double{score[to]};
      pointers[t * n_ + to] = pointer;
    }
    const double most = *std::max_element(best.begin(), best.end());
    double sum = 0;
    for (const double value : best) sum += std::exp(value - most);
    confidences[rows[t]] = static_cast<float>(1 / sum);
  }
  for (int64_t j = 0; j < real; ++j) {
    best[j] += transitions_[stop() * n_ + j];
  }
  int32_t tag = static_cast<int32_t>(
      std::max_element(best.begin(), best.begin() + real) - best.begin());
  for (size_t t = length; t-- > 0;) {
    tags[rows[t]] = tag;
    tag = pointers[t * n_ + tag];
  }
}

}  // namespace meanfield
