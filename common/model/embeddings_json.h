#ifndef MEANFIELD_COMMON_MODEL_EMBEDDINGS_JSON_H_
#define MEANFIELD_COMMON_MODEL_EMBEDDINGS_JSON_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "common/model/json_reader.h"
#include "common/model/model_config.h"
#include "nlohmann/json.hpp"

namespace meanfield {

// Ids are int32. The other limits only keep products far below 2^63.
inline constexpr int64_t kMaxIds = std::numeric_limits<int32_t>::max();
inline constexpr int64_t kMaxWidth = int64_t{1} << 20;

// The list "embeddings" of model.json.
nlohmann::ordered_json EmbeddingsJson(
    const std::vector<Embeddings>& embeddings);
std::vector<Embeddings> ReadEmbeddings(JsonReader& reader);

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_MODEL_EMBEDDINGS_JSON_H_
