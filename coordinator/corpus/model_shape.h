#ifndef MEANFIELD_COORDINATOR_CORPUS_MODEL_SHAPE_H_
#define MEANFIELD_COORDINATOR_CORPUS_MODEL_SHAPE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "common/model/model_config.h"
#include "coordinator/corpus/dictionaries.h"
#include "proto/job.pb.h"

namespace meanfield::corpus {

// What a job's model needs from the corpus.
struct VocabularyRules {
  bool tagger = false;
  int64_t min_frequency = 1;
  int64_t ngram_size = 1;
  int64_t ngram_buckets = 0;
};
// UNIMPLEMENTED for models and embeddings that this version doesn't have.
absl::StatusOr<VocabularyRules> VocabularyRulesOf(const proto::Model& model);

// The job's model with the sizes that the dictionaries give. The model must
// have passed VocabularyRulesOf.
ModelConfig MakeModelConfig(const proto::Model& model,
                            const Dictionaries& dictionaries);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_MODEL_SHAPE_H_
