#ifndef MEANFIELD_COMMON_METRIC_LABEL_STATISTICS_H_
#define MEANFIELD_COMMON_METRIC_LABEL_STATISTICS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace meanfield {

// Mergeable statistics of single-label decisions (documents, token tags) and of
// spans, as Flair counts them: over the union of gold and predicted keys, a
// side that is missing is "" (Flair's "O"). Only integers, so that any grouping
// of the corpus gives the identical scores.
class LabelStatistics {
 public:
  // One key. Both empty is not a key.
  void Add(std::string_view gold, std::string_view predicted);
  void Merge(const LabelStatistics& other);

  uint64_t keys() const;  // size of the union

  struct ClassScores {
    std::string label;
    uint64_t true_positives = 0;
    uint64_t false_positives = 0;
    uint64_t false_negatives = 0;
    double precision = 0;  // 0 where undefined, as sklearn
    double recall = 0;
    double f1 = 0;
    uint64_t support() const { return true_positives + false_negatives; }
  };
  // By descending support + predictions, then label.
  std::vector<ClassScores> Classes() const;

  // Share of keys whose two sides are equal.
  double Accuracy() const;
  double MicroPrecision() const;
  double MicroRecall() const;
  double MicroF1() const;
  double MacroF1() const;     // mean of the per-class F1
  double WeightedF1() const;  // by support

  struct Confusion {
    std::string gold;
    std::string predicted;
    uint64_t count = 0;
  };
  // Gold differs from predicted; most frequent first, then by names.
  std::vector<Confusion> Confusions(size_t limit) const;

  // The most frequent gold label and the accuracy of always saying it.
  std::pair<std::string, double> Majority() const;

 private:
  std::map<std::pair<std::string, std::string>, uint64_t, std::less<>> counts_;
};

// Loss per item: batch sums must be added in batch order by the caller.
struct LossStatistics {
  double sum = 0;
  uint64_t count = 0;
  double Mean() const {
    return count == 0 ? 0 : sum / static_cast<double>(count);
  }
};

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_METRIC_LABEL_STATISTICS_H_
