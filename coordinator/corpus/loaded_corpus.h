#ifndef MEANFIELD_COORDINATOR_CORPUS_LOADED_CORPUS_H_
#define MEANFIELD_COORDINATOR_CORPUS_LOADED_CORPUS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/corpus/corpus_format.h"
#include "coordinator/corpus/dictionaries.h"
#include "coordinator/corpus/sample_table.h"
#include "coordinator/corpus/split.h"

namespace meanfield::corpus {

// The files of a task as read, and which of their samples each split has.
struct LoadedCorpus {
  SampleTable train;
  // Without a value: held out of `train`, or absent.
  std::optional<SampleTable> dev_file;
  std::optional<SampleTable> test_file;
  HeldOut parts;
  LabelKind label_kind = LabelKind::kDocument;

  const SampleTable& dev() const { return dev_file ? *dev_file : train; }
  const SampleTable& test() const { return test_file ? *test_file : train; }
  // Those of `train`, dev and test, in this order.
  std::vector<const SampleTable*> tables() const;
};

struct LoadOptions {
  // Shares of the training split to hold out where there is no file.
  double dev_fraction = 0;
  double test_fraction = 0;
  uint64_t seed = 0;  // of the job
  std::string_view task;
};

// INVALID_ARGUMENT names file and line; a split without a text is one.
absl::StatusOr<LoadedCorpus> LoadCorpus(const CorpusFormat& format,
                                        const LoadOptions& options);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_LOADED_CORPUS_H_
