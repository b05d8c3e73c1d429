#ifndef MEANFIELD_COORDINATOR_JOB_VALIDATE_H_
#define MEANFIELD_COORDINATOR_JOB_VALIDATE_H_

#include <string>

#include "coordinator/job/checks.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "proto/job.pb.h"

namespace meanfield::job {

// Ranges and combinations of a job whose defaults are filled in. Pure: what
// needs the files is in corpus_files.h. The parts take the path of what they
// check.
void ValidateJob(const proto::JobSpec& job, Checks& checks);

void ValidateCorpus(const proto::Corpus& corpus, const std::string& path,
                    Checks& checks);
void ValidateModel(const proto::Model& model, const std::string& path,
                   Checks& checks);
using EmbeddingList = google::protobuf::RepeatedPtrField<proto::Embeddings>;
using LabelWeightList = google::protobuf::RepeatedPtrField<proto::LabelWeight>;
// `path`: of the model that has them.
void ValidateEmbeddings(const EmbeddingList& list, const std::string& path,
                        Checks& checks);
void ValidateLabelWeights(const LabelWeightList& weights,
                          const std::string& path, Checks& checks);
void ValidateTraining(const proto::Training& training, const std::string& path,
                      Checks& checks);
// Corpus and model, model and metric, dev split and what reads its scores.
void ValidateFit(const proto::JobSpec& job, const proto::Task& task,
                 const std::string& path, Checks& checks);

// Name of the format that the job chose ("conll"), or "".
std::string FormatName(const proto::Corpus& corpus);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_VALIDATE_H_
