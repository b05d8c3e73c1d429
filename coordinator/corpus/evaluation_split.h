#ifndef MEANFIELD_COORDINATOR_CORPUS_EVALUATION_SPLIT_H_
#define MEANFIELD_COORDINATOR_CORPUS_EVALUATION_SPLIT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/metric/label_statistics.h"
#include "common/tensor/safetensors.h"
#include "coordinator/corpus/dictionaries.h"
#include "coordinator/corpus/sample.h"

namespace meanfield::corpus {

// The texts and gold labels of dev or test, in corpus order, and how the output
// of EVALUATE units is scored against them. Immutable; any thread.
class EvaluationSplit {
 public:
  // `shard_sizes`: samples in each encoded shard, in order.
  EvaluationSplit(std::vector<Sample> samples,
                  std::vector<uint64_t> shard_sizes,
                  const Dictionaries& dictionaries);

  uint64_t size() const { return samples_.size(); }

  // Adds shard's decisions to `statistics` and its batch losses, batch by
  // batch, to `loss`; call in shard order. Appends the rows of
  // predictions/<split>.tsv to `rows`: a tagger's are "token TAB gold TAB
  // predicted" with a blank line after each sentence (conlleval reads them), a
  // classifier's "gold TAB predicted TAB text". INVALID_ARGUMENT where the
  // output does not fit the shard.
  absl::Status Score(uint32_t shard, const SafetensorsFile& output,
                     LabelStatistics& statistics, LossStatistics& loss,
                     std::string& rows) const;

  // Names and values, the main ones first: accuracy, macro_f1, micro_f1, ….
  static std::vector<std::pair<std::string, double>> Scores(
      LabelKind kind, const LabelStatistics& statistics);

  // The statistics of predicting nothing but what is most frequent are in
  // LabelStatistics::Majority.
  LabelKind label_kind() const { return label_kind_; }

 private:
  std::vector<Sample> samples_;
  std::vector<uint64_t> shard_begins_;
  Dictionary labels_;
  LabelKind label_kind_;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_EVALUATION_SPLIT_H_
