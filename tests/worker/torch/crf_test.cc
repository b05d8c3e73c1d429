#include "worker/torch/crf.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "common/base/random.h"
#include "gtest/gtest.h"
#include "worker/torch/crf_kernels.h"

namespace meanfield {
namespace {

constexpr int64_t kTags = 6;  // of which <START> and <STOP>
constexpr int64_t kStart = 4;
constexpr int64_t kStop = 5;

float Normal(CounterRng& rng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) {
    sum += static_cast<double>(rng() >> 11) / 9007199254740992.0;
  }
  return static_cast<float>(sum);
}

// Scores, transitions as a tagger starts with them, and tags.
struct Problem {
  Problem(const std::vector<int64_t>& lengths, float scale, uint64_t seed)
      : rng(seed) {
    std::vector<int64_t> offsets = {0};
    for (const int64_t length : lengths) {
      offsets.push_back(offsets.back() + length);
    }
    packed = Pack(offsets);
    for (int64_t i = 0; i < offsets.back() * kTags; ++i) {
      scores.push_back(scale * Normal(rng));
    }
    for (int64_t i = 0; i < kTags * kTags; ++i) {
      const bool never = i / kTags == kStart || i % kTags == kStop;
      transitions.push_back(never ? -10000 : Normal(rng));
    }
    for (int64_t i = 0; i < offsets.back(); ++i) {
      tags.push_back(static_cast<int64_t>(rng.Below(kStart)));
    }
  }

  at::Tensor ScoresTensor() const {
    return at::tensor(scores, at::kFloat).view({-1, kTags});
  }
  at::Tensor TransitionsTensor() const {
    return at::tensor(transitions, at::kFloat).view({kTags, kTags});
  }

  CounterRng rng;
  PackedBatch packed;
  std::vector<float> scores;
  std::vector<float> transitions;
  std::vector<int64_t> tags;
};

// What a tagging of the sentence in `rows` scores, up to its `length`-th token;
// <STOP> follows the last one.
long double Score(const Problem& problem, const std::vector<int64_t>& rows,
                  const std::vector<int64_t>& tags) {
  long double score = 0;
  int64_t before = kStart;
  for (size_t t = 0; t < tags.size(); ++t) {
    score += problem.scores[rows[t] * kTags + tags[t]];
    score += problem.transitions[tags[t] * kTags + before];
    before = tags[t];
  }
  if (tags.size() < rows.size()) return score;
  return score + problem.transitions[kStop * kTags + before];
}

// All taggings of `length` tokens with tags below `num_tags`.
std::vector<std::vector<int64_t>> AllTaggings(size_t length, int64_t num_tags) {
  std::vector<std::vector<int64_t>> all = {{}};
  for (size_t t = 0; t < length; ++t) {
    std::vector<std::vector<int64_t>> longer;
    for (const auto& tagging : all) {
      for (int64_t tag = 0; tag < num_tags; ++tag) {
        longer.push_back(tagging);
        longer.back().push_back(tag);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// Loss and gradients by enumeration.
CrfGradients ByEnumeration(const Problem& problem) {
  const at::Tensor scores =
      at::zeros({problem.packed.num_rows(), kTags}, at::kDouble);
  const at::Tensor transitions = at::zeros({kTags, kTags}, at::kDouble);
  const auto add = [&](const std::vector<int64_t>& rows,
                       const std::vector<int64_t>& tags, double probability) {
    int64_t before = kStart;
    for (size_t t = 0; t < rows.size(); ++t) {
      scores.mutable_data_ptr<double>()[rows[t] * kTags + tags[t]] +=
          probability;
      transitions.mutable_data_ptr<double>()[tags[t] * kTags + before] +=
          probability;
      before = tags[t];
    }
    transitions.mutable_data_ptr<double>()[kStop * kTags + before] +=
        probability;
  };
  long double loss = 0;
  for (const auto& rows : RowsOfSequences(problem.packed)) {
    const auto all = AllTaggings(rows.size(), kTags);
    long double most = -std::numeric_limits<long double>::infinity();
    for (const auto& tags : all) {
      most = std::max(most, Score(problem, rows, tags));
    }
    long double sum = 0;
    for (const auto& tags : all) {
      sum += std::exp(Score(problem, rows, tags) - most);
    }
    for (const auto& tags : all) {
      add(rows, tags,
          static_cast<double>(std::exp(Score(problem, rows, tags) - most) /
                              sum));
    }
    std::vector<int64_t> right;
    for (const int64_t row : rows) right.push_back(problem.tags[row]);
    add(rows, right, -1);
    loss += most + std::log(sum) - Score(problem, rows, right);
  }
  return {.loss = at::scalar_tensor(static_cast<double>(loss), at::kDouble),
          .scores = scores,
          .transitions = transitions};
}

void ExpectSame(const CrfGradients& actual, const CrfGradients& expected) {
  const double loss = expected.loss.item<double>();
  EXPECT_NEAR(actual.loss.item<double>(), loss, 1e-9 * std::max(1.0, loss));
  EXPECT_TRUE(at::allclose(actual.scores.to(at::kDouble),
                           expected.scores.to(at::kDouble), 0, 1e-6))
      << actual.scores << expected.scores;
  EXPECT_TRUE(at::allclose(actual.transitions.to(at::kDouble),
                           expected.transitions.to(at::kDouble), 0, 1e-6))
      << actual.transitions << expected.transitions;
}

// From uniform taggings to scores whose exponentials leave double's range.
class EveryScale : public ::testing::TestWithParam<float> {
 protected:
  const Problem problem_{{4, 1, 3, 4, 2}, GetParam(), 7};
};

INSTANTIATE_TEST_SUITE_P(, EveryScale,
                         ::testing::Values(0.0f, 1.0f, 30.0f, 500.0f, 20000.0f,
                                           1e30f));

TEST_P(EveryScale, Loops_EqualEnumeration) {
  ExpectSame(CrfByLoops(problem_.ScoresTensor(), problem_.TransitionsTensor(),
                        problem_.packed, problem_.tags, CrfNeeds::kGradients),
             ByEnumeration(problem_));
}

TEST_P(EveryScale, Tensors_EqualEnumeration) {
  ExpectSame(CrfByTensors(problem_.ScoresTensor(), problem_.TransitionsTensor(),
                          problem_.packed, problem_.tags, CrfNeeds::kGradients),
             ByEnumeration(problem_));
}

TEST_P(EveryScale, Decode_FindsTheBestTagging) {
  Crf crf(problem_.transitions.data(), kTags);
  for (const auto& rows : RowsOfSequences(problem_.packed)) {
    const auto all = AllTaggings(rows.size(), kStart);
    const auto best = std::max_element(
        all.begin(), all.end(), [&](const auto& a, const auto& b) {
          return Score(problem_, rows, a) < Score(problem_, rows, b);
        });
    std::vector<int32_t> tags(problem_.packed.num_rows(), -1);
    std::vector<float> confidences(tags.size());

    crf.Decode(problem_.scores.data(), rows, tags.data(), confidences.data());

    for (size_t t = 0; t < rows.size(); ++t) {
      EXPECT_EQ(tags[rows[t]], (*best)[t]) << t;
    }
  }
}

TEST(Crf, Confidence_IsTheLargestShareOfTheBestTaggingsSoFar) {
  const Problem problem({4}, 1, 8);
  const std::vector<int64_t> rows = RowsOfSequences(problem.packed).front();
  Crf crf(problem.transitions.data(), kTags);
  std::vector<int32_t> tags(4);
  std::vector<float> confidences(4);

  crf.Decode(problem.scores.data(), rows, tags.data(), confidences.data());

  for (size_t length = 1; length < rows.size(); ++length) {
    std::vector<long double> best(kTags, -1e9);
    for (const auto& tagging : AllTaggings(length, kTags)) {
      long double& most = best[tagging.back()];
      most = std::max(most, Score(problem, rows, tagging));
    }
    long double sum = 0;
    for (const long double score : best) sum += std::exp(score);
    const long double most = *std::max_element(best.begin(), best.end());
    EXPECT_NEAR(confidences[rows[length - 1]],
                static_cast<double>(std::exp(most) / sum), 1e-6);
  }
}

// The tagging that wins needs a tag that is far behind until the last token.
TEST(Crf, BestTaggingFarBehindUntilTheEnd_IsNotLost) {
  Problem problem({5, 300}, 1, 9);
  for (const auto& rows : RowsOfSequences(problem.packed)) {
    for (const int64_t row : rows) {
      for (int64_t tag = 0; tag < kTags; ++tag) {
        problem.scores[row * kTags + tag] = tag == 0 ? 800 : 0;
      }
    }
    problem.scores[rows.back() * kTags + 3] = 5000.0f * rows.size();
  }
  problem.transitions[3 * kTags + 0] = -10000;  // only from tag 1 to tag 3
  problem.transitions[3 * kTags + 2] = -10000;
  problem.transitions[3 * kTags + 3] = -10000;

  const CrfGradients loops =
      CrfByLoops(problem.ScoresTensor(), problem.TransitionsTensor(),
                 problem.packed, problem.tags, CrfNeeds::kGradients);

  ExpectSame(loops,
             CrfByTensors(problem.ScoresTensor(), problem.TransitionsTensor(),
                          problem.packed, problem.tags, CrfNeeds::kGradients));
  EXPECT_TRUE(std::isfinite(loops.loss.item<double>()));
}

TEST(Crf, LongSentences_LoopsEqualTensors) {
  const Problem problem({2000, 1, 700, 2000}, 3, 10);

  ExpectSame(CrfByLoops(problem.ScoresTensor(), problem.TransitionsTensor(),
                        problem.packed, problem.tags, CrfNeeds::kGradients),
             CrfByTensors(problem.ScoresTensor(), problem.TransitionsTensor(),
                          problem.packed, problem.tags, CrfNeeds::kGradients));
}

TEST(Crf, LossAlone_IsThatOfTheGradients) {
  const Problem problem({3, 9, 1}, 2, 11);
  for (const auto compute : {CrfByLoops, CrfByTensors}) {
    const auto loss = [&](CrfNeeds needs) {
      return compute(problem.ScoresTensor(), problem.TransitionsTensor(),
                     problem.packed, problem.tags, needs)
          .loss.item<double>();
    };

    EXPECT_EQ(loss(CrfNeeds::kLoss), loss(CrfNeeds::kGradients));
  }
}

TEST(Crf, Autograd_ScalesBothGradients) {
  const Problem problem({3, 2}, 1, 12);
  at::Tensor scores = problem.ScoresTensor().set_requires_grad(true);
  at::Tensor transitions = problem.TransitionsTensor().set_requires_grad(true);
  const CrfGradients expected = CrfByLoops(scores, transitions, problem.packed,
                                           problem.tags, CrfNeeds::kGradients);

  const at::Tensor loss =
      CrfLoss(scores, transitions, problem.packed, problem.tags);
  loss.backward(at::full_like(loss, 0.25));

  EXPECT_TRUE(at::allclose(scores.grad(), at::mul(expected.scores, 0.25)));
  EXPECT_TRUE(at::allclose(transitions.grad(),
                           at::mul(expected.transitions.to(at::kFloat), 0.25)));
}

TEST(Crf, NonFiniteScore_GivesANonFiniteLoss) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity()}) {
    Problem problem({3, 2}, 1, 13);
    problem.scores[kTags] = bad;
    for (const auto compute : {CrfByLoops, CrfByTensors}) {
      EXPECT_FALSE(std::isfinite(
          compute(problem.ScoresTensor(), problem.TransitionsTensor(),
                  problem.packed, problem.tags, CrfNeeds::kGradients)
              .loss.item<double>()));
    }
  }
}

}  // namespace
}  // namespace meanfield
