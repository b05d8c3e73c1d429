#ifndef MEANFIELD_COORDINATOR_CLI_DATA_FILES_H_
#define MEANFIELD_COORDINATOR_CLI_DATA_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/corpus/format_guess.h"
#include "proto/job.pb.h"

namespace meanfield::cli {

// Which file is which split.
struct DataFiles {
  std::string train;
  std::string dev;   // empty: none
  std::string test;  // empty: none
};

// By name where all names tell ("train"; "dev", "valid", "val", "testa";
// "test", "testb", "eval"), the others in the order train, dev, test. Of a
// folder, its files with such names, or the only one that is a corpus.
// INVALID_ARGUMENT lists what is there where that does not decide.
absl::StatusOr<DataFiles> AssignSplits(const std::vector<std::string>& paths,
                                       const corpus::GuessOptions& options);

// What the files were taken as: a corpus that names them, and what was seen.
absl::StatusOr<corpus::FormatGuess> UnderstandFiles(
    const DataFiles& files, const corpus::GuessOptions& options);

// The format's name in a job: "conll".
std::string FormatName(const proto::Corpus& corpus);
void SetFiles(const DataFiles& files, proto::Corpus& corpus);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_DATA_FILES_H_
