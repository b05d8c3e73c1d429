#ifndef MEANFIELD_COMMON_MODEL_ENCODED_SHARD_H_
#define MEANFIELD_COMMON_MODEL_ENCODED_SHARD_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "common/tensor/safetensors.h"

namespace meanfield {

// The tensors of an encoded shard, the same for every model that reads token
// sequences. A shard holds N samples of T tokens in all.
//
//   ids      I32 [E, T]  row e: of each token its row in the table of the e-th
//                        of the model's embeddings with a table (one-hot or
//                        word vectors). In a bag with n-grams the tokens of a
//                        sample are followed by its n-grams.
//   offsets  I64 [N+1]   sample i owns tokens offsets[i] … offsets[i+1] - 1
//   labels   I32 [N]     classifiers: the class of each sample. Multi-label:
//                        I32 [L], and label_offsets I64 [N+1]: sample i has
//                        labels[label_offsets[i] …], rising, perhaps none
//   tags     I32 [T]     taggers: the tag of each token
// Character embeddings add the shard's W distinct words:
//   words              I32 [T]    of each token its distinct word, below W
//   characters         I32 [C]    character ids, word after word
//   character_offsets  I64 [W+1]  word w owns characters[character_offsets[w]
//                                 … character_offsets[w+1]), at least one
//
// A shard to predict has neither labels nor tags.
struct EncodedShard {
  std::span<const int32_t> ids;  // E rows, one after the other
  std::span<const int64_t> offsets;
  std::span<const int32_t> labels;
  std::span<const int64_t> label_offsets;  // empty: one label a sample
  std::span<const int32_t> tags;
  std::span<const int32_t> words;
  std::span<const int32_t> characters;
  std::span<const int64_t> character_offsets;

  int64_t size() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t num_tokens() const { return offsets.empty() ? 0 : offsets.back(); }
};

// Views into `file`, every invariant checked: offsets rise from 0 to T (a
// sample may be empty unless there are tags), tensors have their lengths, words
// are below W, no other tensors. Ids are not compared with a vocabulary here.
absl::StatusOr<EncodedShard> ViewEncodedShard(const SafetensorsFile& file);

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_MODEL_ENCODED_SHARD_H_
