#ifndef MEANFIELD_COORDINATOR_CORPUS_EVALUATION_SPLIT_H_
#define MEANFIELD_COORDINATOR_CORPUS_EVALUATION_SPLIT_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/metric/label_statistics.h"
#include "common/tensor/safetensors.h"
#include "coordinator/corpus/dictionaries.h"
#include "coordinator/corpus/sample.h"

namespace meanfield::corpus {

// What the shards of a split add up to. Integers, and losses added in batch
// order: any number of shards gives the identical scores.
struct EvaluationStatistics {
  LabelStatistics labels;
  LossStatistics loss;
  // Span taggers only, whose `labels` count spans.
  uint64_t tokens = 0;
  uint64_t correct_tokens = 0;
  // Multi-label only, whose `labels` count each label of each text: texts with
  // a gold or a predicted label, and those whose two sets are equal.
  uint64_t labelled_texts = 0;
  uint64_t exact_texts = 0;
};

// The texts and gold labels of dev or test, in corpus order, and how the output
// of EVALUATE units is scored against them. Immutable; any thread.
class EvaluationSplit {
 public:
  // `shard_sizes`: samples in each encoded shard, in order.
  EvaluationSplit(std::vector<Sample> samples,
                  std::vector<uint64_t> shard_sizes,
                  const Dictionaries& dictionaries);

  uint64_t size() const { return samples_.size(); }

  // Adds a shard's decisions and its losses, batch by batch; call in shard
  // order. Appends the rows of predictions/<split>.tsv to `rows`: a tagger's
  // are "token TAB gold TAB predicted" with a blank line after each sentence
  // (spans as B- and I- tags, so that conlleval -d "\t" reads them), a
  // classifier's "gold TAB predicted TAB text" (several labels with "|" between
  // them). INVALID_ARGUMENT where the output does not fit the shard; nothing is
  // added then.
  absl::Status Score(uint32_t shard, const SafetensorsFile& output,
                     EvaluationStatistics& statistics, std::string& rows) const;

  // Names and values, the main one first. Every kind has accuracy, macro_f1,
  // weighted_f1 and micro_f1; spans and multi-label add micro_precision and
  // micro_recall, spans token_accuracy. The accuracy of spans is over the union
  // of gold and predicted ones, that of multi-label counts texts whose labels
  // are all right, both as Flair's.
  std::vector<std::pair<std::string, double>> Scores(
      const EvaluationStatistics& statistics) const;

  // The statistics of predicting nothing but what is most frequent are in
  // LabelStatistics::Majority.
  LabelKind label_kind() const { return label_kind_; }
  bool multi_label() const { return multi_label_; }

 private:
  uint64_t NumItems(std::span<const Sample> samples) const;
  void ScoreDocument(const Sample& sample, std::span<const int32_t> predicted,
                     EvaluationStatistics& statistics, std::string& rows) const;
  void ScoreSentence(const Sample& sample, std::span<const int32_t> predicted,
                     EvaluationStatistics& statistics, std::string& rows) const;

  std::vector<Sample> samples_;
  std::vector<uint64_t> shard_begins_;
  Dictionary labels_;
  LabelKind label_kind_;
  bool multi_label_;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_EVALUATION_SPLIT_H_
