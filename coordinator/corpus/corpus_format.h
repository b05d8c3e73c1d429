#ifndef MEANFIELD_COORDINATOR_CORPUS_CORPUS_FORMAT_H_
#define MEANFIELD_COORDINATOR_CORPUS_CORPUS_FORMAT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "coordinator/corpus/encoding.h"
#include "coordinator/corpus/sample_reader.h"
#include "proto/job.pb.h"

namespace meanfield::corpus {

// What a job says about a corpus: files and how to read them.
struct CorpusFormat {
  std::unique_ptr<SampleReader> reader;
  Encoding encoding = Encoding::kUtf8;
  bool tagged = false;          // a tag a token, not a label a text
  bool spans_possible = false;  // tags like B-PER mean spans
  std::string train;
  std::string dev;   // empty: none
  std::string test;  // empty: none
};

// INVALID_ARGUMENT names the field; UNIMPLEMENTED the format.
absl::StatusOr<CorpusFormat> MakeCorpusFormat(const proto::Corpus& corpus);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_CORPUS_FORMAT_H_
