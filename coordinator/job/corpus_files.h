#ifndef MEANFIELD_COORDINATOR_JOB_CORPUS_FILES_H_
#define MEANFIELD_COORDINATOR_JOB_CORPUS_FILES_H_

#include <string>

#include "coordinator/job/checks.h"
#include "proto/job.pb.h"

namespace meanfield::job {

// The files that a corpus names, whatever its format; empty: none.
struct CorpusFiles {
  std::string train;
  std::string dev;
  std::string test;
};
CorpusFiles FilesOf(const proto::Corpus& corpus);

// Makes the paths of every corpus and of all word vectors absolute, starting
// from `folder` (itself absolute).
void ResolveCorpusFiles(const std::string& folder, proto::JobSpec& job);

// Whether the (absolute) files are there and can be read. The messages name
// each and the folder it was resolved from. Warns of a training file that is
// the dev or test file as well.
void CheckCorpusFiles(const std::string& folder, const proto::JobSpec& job,
                      Checks& checks);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_CORPUS_FILES_H_
