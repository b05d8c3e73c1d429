#include "common/model/embeddings_json.h"

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "common/model/json_reader.h"
#include "common/model/model_config.h"
#include "nlohmann/json.hpp"

namespace meanfield {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMaxEmbeddings = 16;

ordered_json OneEmbeddingJson(const OneHotEmbeddings& embeddings) {
  return {{"type", "one_hot"},
          {"num_embeddings", embeddings.num_embeddings},
          {"embedding_size", embeddings.embedding_size}};
}

ordered_json OneEmbeddingJson(const WordEmbeddings& embeddings) {
  return {{"type", "word_vectors"},
          {"num_embeddings", embeddings.num_embeddings},
          {"embedding_size", embeddings.embedding_size},
          {"fine_tune", embeddings.fine_tune}};
}

ordered_json OneEmbeddingJson(const CharacterEmbeddings& embeddings) {
  return {{"type", "characters"},
          {"num_characters", embeddings.num_characters},
          {"embedding_size", embeddings.embedding_size},
          {"hidden_size", embeddings.hidden_size}};
}

Embeddings ReadOneHot(JsonReader& reader) {
  OneHotEmbeddings embeddings;
  embeddings.num_embeddings = reader.Integer("num_embeddings", 1, kMaxIds);
  embeddings.embedding_size = reader.Integer("embedding_size", 1, kMaxWidth);
  return embeddings;
}

Embeddings ReadWordVectors(JsonReader& reader) {
  WordEmbeddings embeddings;
  embeddings.num_embeddings = reader.Integer("num_embeddings", 1, kMaxIds);
  embeddings.embedding_size = reader.Integer("embedding_size", 1, kMaxWidth);
  embeddings.fine_tune = reader.Bool("fine_tune");
  return embeddings;
}

Embeddings ReadCharacters(JsonReader& reader) {
  CharacterEmbeddings embeddings;
  embeddings.num_characters = reader.Integer("num_characters", 1, kMaxIds);
  embeddings.embedding_size = reader.Integer("embedding_size", 1, kMaxWidth);
  embeddings.hidden_size = reader.Integer("hidden_size", 1, kMaxWidth);
  return embeddings;
}

Embeddings ReadOne(JsonReader& reader) {
  using Read = Embeddings (*)(JsonReader&);
  constexpr Read kReaders[] = {ReadOneHot, ReadWordVectors, ReadCharacters};
  const size_t type =
      reader.Choice("type", {"one_hot", "word_vectors", "characters"});
  Embeddings embeddings = kReaders[type](reader);
  reader.Finish();
  return embeddings;
}

}  // namespace

ordered_json EmbeddingsJson(const std::vector<Embeddings>& embeddings) {
  ordered_json list = ordered_json::array();
  for (const Embeddings& one : embeddings) {
    list.push_back(
        std::visit([](const auto& e) { return OneEmbeddingJson(e); }, one));
  }
  return list;
}

std::vector<Embeddings> ReadEmbeddings(JsonReader& reader) {
  std::vector<Embeddings> embeddings;
  int characters = 0;
  for (JsonReader& one : reader.Objects("embeddings", kMaxEmbeddings)) {
    embeddings.push_back(ReadOne(one));
    characters +=
        std::holds_alternative<CharacterEmbeddings>(embeddings.back()) ? 1 : 0;
  }
  // A shard has the characters of its words once.
  reader.Require(characters <= 1, "embeddings",
                 "one of type \"characters\" at most");
  return embeddings;
}

}  // namespace meanfield
