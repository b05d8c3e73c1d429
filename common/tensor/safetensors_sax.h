#ifndef MEANFIELD_COMMON_TENSOR_SAFETENSORS_SAX_H_
#define MEANFIELD_COMMON_TENSOR_SAFETENSORS_SAX_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/tensor/safetensors_header.h"
#include "nlohmann/json.hpp"

namespace meanfield {

inline constexpr char kSafetensorsMetadata[] = "__metadata__";

// Takes the events of a header's JSON and refuses, at once, all that a header
// may not hold. Events instead of a document: a document forgets that a key was
// there twice, and takes memory for whatever it is given.
class SafetensorsSax : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Unexpected("null"); }
  bool boolean(bool) override { return Unexpected("a boolean"); }
  bool number_integer(number_integer_t) override {
    return Unexpected("a negative number");
  }
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t, const string_t&) override {
    return Unexpected("a number that is not an integer of 64 bits");
  }
  bool string(string_t& text) override;
  bool binary(binary_t&) override { return Unexpected("binary data"); }
  bool start_object(size_t) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(size_t) override;
  bool end_array() override;
  bool parse_error(size_t position, const std::string& last_token,
                   const nlohmann::json::exception& error) override;

  // What was wrong, after sax_parse returned false.
  const std::string& fault() const { return fault_; }
  std::vector<SafetensorsEntry> TakeEntries() { return std::move(entries_); }

 private:
  // What the next event belongs to.
  enum class State {
    kBegin,     // before the outer '{'
    kTop,       // inside it
    kMetadata,  // after or inside "__metadata__"
    kTensor,    // after a tensor's name
    kFields,    // inside a tensor's '{'
    kDType,     // after "dtype"
    kShape,     // after or inside "shape"
    kOffsets,   // after or inside "data_offsets"
    kEnd,       // after the outer '}'
  };

  bool Fail(std::string_view fault);
  bool Unexpected(std::string_view what);
  bool TensorKey(const std::string& name);
  bool FieldKey(const std::string& name);

  State state_ = State::kBegin;
  bool inside_ = false;  // of the object or array that state_ awaits
  bool has_dtype_ = false;
  bool has_shape_ = false;
  bool has_offsets_ = false;
  std::vector<uint64_t> offsets_;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> metadata_keys_;
  std::vector<SafetensorsEntry> entries_;
  std::string fault_;
};

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_TENSOR_SAFETENSORS_SAX_H_
