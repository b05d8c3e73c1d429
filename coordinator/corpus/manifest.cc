#include "coordinator/corpus/manifest.h"

#include <numeric>

#include "absl/strings/str_format.h"
#include "common/base/random.h"

namespace meanfield::corpus {

std::string IndexSum(std::span<const int64_t> samples) {
  uint64_t sum = 0;
  for (const int64_t sample : samples) {
    sum += CounterRng(static_cast<uint64_t>(sample))();
  }
  return absl::StrFormat("%016x", sum);
}

void Manifest::AddSplit(std::string_view split, const SampleTable& table,
                        std::span<const std::vector<int64_t>> shard_samples,
                        std::span<const EncodedShardInfo> shards) {
  std::vector<int64_t> all(static_cast<size_t>(table.size()));
  std::iota(all.begin(), all.end(), 0);
  files_[table.path()] = {
      {"hash", table.file_hash()},
      {"index_sum", IndexSum(all)},
      {"samples", table.size()},
      {"skipped_without_token", table.num_skipped()},
      {"bad_lines",
       {{"fixed", table.bad_lines().fixed.count()},
        {"left_out", table.bad_lines().left_out.count()},
        {"texts_left_out", table.bad_lines().texts_left_out}}}};
  nlohmann::json list = nlohmann::json::array();
  uint64_t samples = 0;
  uint64_t tokens = 0;
  for (size_t i = 0; i < shards.size(); ++i) {
    list.push_back({{"blob", shards[i].data.id},
                    {"bytes", shards[i].data.size},
                    {"index_sum", IndexSum(shard_samples[i])},
                    {"samples", shards[i].examples},
                    {"tokens", shards[i].tokens}});
    samples += shards[i].examples;
    tokens += shards[i].tokens;
  }
  splits_[std::string(split)] = {{"file", table.path()},
                                 {"samples", samples},
                                 {"shards", std::move(list)},
                                 {"tokens", tokens}};
}

void Manifest::AddTensor(const TensorFile& tensor) {
  tensors_[tensor.spec.name] = {{"blob", tensor.file.id},
                                {"bytes", tensor.file.size},
                                {"shape", tensor.spec.shape}};
}

std::string Manifest::ToJson() const {
  nlohmann::json json = {{"files", files_}, {"splits", splits_}};
  if (!tensors_.empty()) json["word_vectors"] = tensors_;
  // A path need not be UTF-8.
  return json.dump(/*indent=*/2, ' ', /*ensure_ascii=*/false,
                   nlohmann::json::error_handler_t::replace) +
         "\n";
}

}  // namespace meanfield::corpus
