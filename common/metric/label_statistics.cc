#include "common/metric/label_statistics.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace meanfield {
namespace {

double Ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// One division of integers. 2PR/(P+R), the textbook form, may differ in the
// last bit.
double F1(uint64_t true_positives, uint64_t predicted, uint64_t gold) {
  return Ratio(2 * true_positives, predicted + gold);
}

struct Totals {
  uint64_t keys = 0;
  uint64_t equal = 0;
  uint64_t gold = 0;       // keys with a gold label
  uint64_t predicted = 0;  // keys with a predicted label
};

Totals TotalsOf(const std::map<std::pair<std::string, std::string>, uint64_t,
                               std::less<>>& counts) {
  Totals totals;
  for (const auto& [sides, count] : counts) {
    totals.keys += count;
    if (sides.first == sides.second) totals.equal += count;
    if (!sides.first.empty()) totals.gold += count;
    if (!sides.second.empty()) totals.predicted += count;
  }
  return totals;
}

}  // namespace

void LabelStatistics::Add(std::string_view gold, std::string_view predicted) {
  if (gold.empty() && predicted.empty()) return;
  ++counts_[{std::string(gold), std::string(predicted)}];
}

void LabelStatistics::Merge(const LabelStatistics& other) {
  for (const auto& [sides, count] : other.counts_) counts_[sides] += count;
}

uint64_t LabelStatistics::keys() const { return TotalsOf(counts_).keys; }

std::vector<LabelStatistics::ClassScores> LabelStatistics::Classes() const {
  std::map<std::string_view, ClassScores> by_label;
  for (const auto& [sides, count] : counts_) {
    const auto& [gold, predicted] = sides;
    if (gold == predicted) {
      by_label[gold].true_positives += count;
      continue;
    }
    if (!gold.empty()) by_label[gold].false_negatives += count;
    if (!predicted.empty()) by_label[predicted].false_positives += count;
  }
  std::vector<ClassScores> classes;
  for (auto& [label, scores] : by_label) {
    const uint64_t predicted = scores.true_positives + scores.false_positives;
    scores.label = label;
    scores.precision = Ratio(scores.true_positives, predicted);
    scores.recall = Ratio(scores.true_positives, scores.support());
    scores.f1 = F1(scores.true_positives, predicted, scores.support());
    classes.push_back(std::move(scores));
  }
  // by_label is sorted: equal frequencies stay in the order of their labels.
  std::stable_sort(classes.begin(), classes.end(),
                   [](const ClassScores& a, const ClassScores& b) {
                     const auto frequency = [](const ClassScores& c) {
                       return c.support() + c.true_positives +
                              c.false_positives;
                     };
                     return frequency(a) > frequency(b);
                   });
  return classes;
}

double LabelStatistics::Accuracy() const {
  const Totals totals = TotalsOf(counts_);
  return Ratio(totals.equal, totals.keys);
}

double LabelStatistics::MicroPrecision() const {
  const Totals totals = TotalsOf(counts_);
  return Ratio(totals.equal, totals.predicted);
}

double LabelStatistics::MicroRecall() const {
  const Totals totals = TotalsOf(counts_);
  return Ratio(totals.equal, totals.gold);
}

double LabelStatistics::MicroF1() const {
  const Totals totals = TotalsOf(counts_);
  return F1(totals.equal, totals.predicted, totals.gold);
}

double LabelStatistics::MacroF1() const {
  const std::vector<ClassScores> classes = Classes();
  double sum = 0;
  for (const ClassScores& scores : classes) sum += scores.f1;
  return classes.empty() ? 0 : sum / static_cast<double>(classes.size());
}

double LabelStatistics::WeightedF1() const {
  double sum = 0;
  for (const ClassScores& scores : Classes()) {
    sum += scores.f1 * static_cast<double>(scores.support());
  }
  const uint64_t gold = TotalsOf(counts_).gold;
  return gold == 0 ? 0 : sum / static_cast<double>(gold);
}

std::vector<LabelStatistics::Confusion> LabelStatistics::Confusions(
    size_t limit) const {
  std::vector<Confusion> confusions;
  for (const auto& [sides, count] : counts_) {
    if (sides.first == sides.second) continue;
    confusions.push_back({sides.first, sides.second, count});
  }
  std::stable_sort(
      confusions.begin(), confusions.end(),
      [](const Confusion& a, const Confusion& b) { return a.count > b.count; });
  if (confusions.size() > limit) confusions.resize(limit);
  return confusions;
}

std::pair<std::string, double> LabelStatistics::Majority() const {
  std::pair<std::string, double> majority("", 0);
  uint64_t most = 0;
  uint64_t keys = 0;
  std::map<std::string_view, uint64_t> gold;
  for (const auto& [sides, count] : counts_) {
    keys += count;
    if (!sides.first.empty()) gold[sides.first] += count;
  }
  for (const auto& [label, count] : gold) {
    if (count <= most) continue;
    most = count;
    majority = {std::string(label), Ratio(count, keys)};
  }
  return majority;
}

}  // namespace meanfield
