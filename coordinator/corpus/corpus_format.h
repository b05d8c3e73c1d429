#ifndef MEANFIELD_COORDINATOR_CORPUS_CORPUS_FORMAT_H_
#define MEANFIELD_COORDINATOR_CORPUS_CORPUS_FORMAT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "coordinator/corpus/encoding.h"
#include "coordinator/corpus/sample_reader.h"
#include "proto/job.pb.h"

namespace meanfield::corpus {

// What becomes of bad lines; see job.proto.
enum class OnBadLine { kFail, kSkip, kFix };

// What a job says about a corpus: files and how to read them.
struct CorpusFormat {
  std::unique_ptr<SampleReader> reader;
  Encoding encoding = Encoding::kUtf8;
  OnBadLine on_bad_line = OnBadLine::kFail;
  bool tagged = false;          // a tag a token, not a label a text
  bool spans_possible = false;  // tags like B-PER mean spans
  bool multi_label = false;     // any number of labels a text
  std::string train;
  std::string dev;   // empty: none
  std::string test;  // empty: none
};

// `multi_label`: the model wants any number of labels a text. INVALID_ARGUMENT
// names the field; UNIMPLEMENTED the format.
absl::StatusOr<CorpusFormat> MakeCorpusFormat(const proto::Corpus& corpus,
                                              bool multi_label = false);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_CORPUS_FORMAT_H_
