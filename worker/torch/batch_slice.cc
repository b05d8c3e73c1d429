#include "worker/torch/batch_slice.h"

#include <span>
#include <vector>

namespace meanfield {
namespace {

// Offsets first … last, counted from the first of them.
std::vector<int64_t> Rebase(const std::vector<int64_t>& offsets, int64_t first,
                            int64_t last) {
  std::vector<int64_t> rebased(offsets.begin() + first,
                               offsets.begin() + last + 1);
  for (int64_t& offset : rebased) offset -= offsets[first];
  return rebased;
}

// The words of tokens [begin, end), numbered anew in the order of first use.
void SliceWords(const Batch& batch, int64_t begin, int64_t end, Batch& slice) {
  std::vector<int32_t> number_of_word(batch.character_offsets.size(), -1);
  slice.character_offsets.assign(1, 0);
  for (int64_t token = begin; token < end; ++token) {
    const int32_t word = batch.words[token];
    int32_t& number = number_of_word[word];
    if (number < 0) {
      number = static_cast<int32_t>(slice.character_offsets.size()) - 1;
      slice.characters.insert(
          slice.characters.end(),
          batch.characters.begin() + batch.character_offsets[word],
          batch.characters.begin() + batch.character_offsets[word + 1]);
      slice.character_offsets.push_back(
          static_cast<int64_t>(slice.characters.size()));
    }
    slice.words.push_back(number);
  }
}

void SliceTargets(const Batch& batch, int64_t first, int64_t last,
                  Batch& slice) {
  // As many items as samples: texts, or sentences of one token each, which are
  // sliced alike.
  const bool item_per_token = batch.num_items != batch.size();
  int64_t begin = item_per_token ? batch.offsets[first] : first;
  int64_t end = item_per_token ? batch.offsets[last] : last;
  slice.num_items = end - begin;
  if (!batch.target_offsets.empty()) {
    slice.target_offsets = Rebase(batch.target_offsets, first, last);
    begin = batch.target_offsets[first];
    end = batch.target_offsets[last];
  }
  if (batch.targets.empty()) return;
  slice.targets.assign(batch.targets.begin() + begin,
                       batch.targets.begin() + end);
}

}  // namespace

Batch SliceBatch(const Batch& batch, int64_t first, int64_t last) {
  const int64_t tokens = batch.offsets.back();
  const int64_t begin = batch.offsets[first];
  const int64_t end = batch.offsets[last];
  Batch slice{.offsets = Rebase(batch.offsets, first, last)};
  for (size_t row = 0; row + tokens <= batch.ids.size() && tokens > 0;
       row += tokens) {
    slice.ids.insert(slice.ids.end(), batch.ids.begin() + row + begin,
                     batch.ids.begin() + row + end);
  }
  if (!batch.words.empty()) SliceWords(batch, begin, end, slice);
  SliceTargets(batch, first, last, slice);
  return slice;
}

}  // namespace meanfield
