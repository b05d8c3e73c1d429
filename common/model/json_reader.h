#ifndef MEANFIELD_COMMON_MODEL_JSON_READER_H_
#define MEANFIELD_COMMON_MODEL_JSON_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace meanfield {

// A small JSON text whose root is an object; no key twice, nothing nested
// deeply. INVALID_ARGUMENT says where it stops being that.
absl::StatusOr<nlohmann::json> ParseJsonObject(std::string_view text);

// Reads an object whose keys are all known: take every key, then Finish. The
// first fault is kept, later calls give values that fit, so that the caller
// needs one check. Faults name the key with its path ("rnn.hidden_size").
class JsonReader {
 public:
  // Both must outlive the reader.
  JsonReader(const nlohmann::json& root, absl::Status& fault);

  int64_t Integer(const char* key, int64_t minimum, int64_t maximum);
  // Minimum included; maximum excluded.
  double Number(const char* key, double minimum, double maximum);
  std::optional<double> NumberOrNull(const char* key, double minimum,
                                     double maximum);
  std::optional<int64_t> IntegerOrNull(const char* key, int64_t minimum,
                                       int64_t maximum);
  // Each as Number.
  std::vector<double> Numbers(const char* key, double minimum, double maximum);
  bool Bool(const char* key);
  // Index in `choices`.
  size_t Choice(const char* key, const std::vector<std::string_view>& choices);
  JsonReader Object(const char* key);
  // A list of 1 to `maximum` objects; its paths are "key[0]." and so on.
  std::vector<JsonReader> Objects(const char* key, size_t maximum);
  // A fault where a condition between keys does not hold.
  void Require(bool condition, const char* key, std::string_view expected);
  // A fault where the object has keys that nobody took.
  void Finish();

 private:
  JsonReader(const nlohmann::json& object, std::string path,
             absl::Status& fault);
  const nlohmann::json* Take(const char* key);
  // Null, with a fault, where there is no list.
  const nlohmann::json* TakeList(const char* key);
  bool TakeNull(const char* key);
  void Fail(const char* key, std::string_view what);

  const nlohmann::json& object_;
  std::string path_;  // "" or "rnn."
  absl::Status& fault_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_MODEL_JSON_READER_H_
