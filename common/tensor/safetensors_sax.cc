#include "common/tensor/safetensors_sax.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "common/base/strings.h"

namespace meanfield {

bool SafetensorsSax::Fail(std::string_view fault) {
  // Names come from outside: they are quoted, and cut where they are long.
  constexpr size_t kShown = 200;
  const bool in_tensor = state_ >= State::kTensor && state_ < State::kEnd;
  const std::string where =
      in_tensor && !entries_.empty()
          ? StrCat("tensor ",
                   absl::Utf8SafeCEscape(
                       entries_.back().spec.name.substr(0, kShown)),
                   ": ")
          : "";
  fault_ = StrCat("header: ", where, fault);
  return false;
}

bool SafetensorsSax::Unexpected(std::string_view what) {
  switch (state_) {
    case State::kBegin:
    case State::kEnd:
      return Fail(StrCat("unexpected ", what));
    case State::kTop:
    case State::kTensor:
      return Fail(StrCat(what, " instead of an object"));
    case State::kMetadata:
      return Fail(StrCat("__metadata__ holds ", what,
                         ", expected an object of strings"));
    case State::kFields:
      return Fail(StrCat("unexpected ", what));
    case State::kDType:
      return Fail(StrCat("dtype is ", what, ", expected a string"));
    case State::kShape:
      return Fail(StrCat("shape holds ", what, ", expected an array of sizes"));
    case State::kOffsets:
      return Fail(StrCat("data_offsets hold ", what,
                         ", expected an array of two numbers"));
  }
  return false;
}

bool SafetensorsSax::number_unsigned(number_unsigned_t value) {
  if (state_ == State::kShape && inside_) {
    if (value > uint64_t{std::numeric_limits<int64_t>::max()}) {
      return Fail(StrCat("size ", value, " does not fit 63 bits"));
    }
    entries_.back().spec.shape.push_back(static_cast<int64_t>(value));
    return true;
  }
  if (state_ == State::kOffsets && inside_) {
    if (offsets_.size() == 2) return Fail("more than two data_offsets");
    offsets_.push_back(value);
    return true;
  }
  return Unexpected("a number");
}

bool SafetensorsSax::string(string_t& text) {
  if (state_ == State::kMetadata && inside_) return true;
  if (state_ != State::kDType) return Unexpected("a string");
  const std::optional<DType> dtype = ParseDType(text);
  if (!dtype) {
    return Fail(StrCat("unknown dtype \"",
                       absl::Utf8SafeCEscape(text.substr(0, 20)), "\""));
  }
  entries_.back().spec.dtype = *dtype;
  state_ = State::kFields;
  return true;
}

bool SafetensorsSax::start_object(size_t) {
  if (state_ == State::kBegin) {
    state_ = State::kTop;
    return true;
  }
  if (state_ == State::kTensor) {
    state_ = State::kFields;
    return true;
  }
  if (state_ == State::kMetadata && !inside_) {
    inside_ = true;
    return true;
  }
  return Unexpected("an object");
}

bool SafetensorsSax::key(string_t& name) {
  if (state_ == State::kTop) return TensorKey(name);
  if (state_ == State::kFields) return FieldKey(name);
  if (!metadata_keys_.insert(name).second) {
    return Fail("a key of __metadata__ is there twice");
  }
  return true;
}

bool SafetensorsSax::TensorKey(const std::string& name) {
  if (name != kSafetensorsMetadata) {
    state_ = State::kTensor;
    entries_.emplace_back();
    entries_.back().spec.name = name;
    has_dtype_ = has_shape_ = has_offsets_ = false;
    offsets_.clear();
  } else {
    state_ = State::kMetadata;
  }
  if (!names_.insert(name).second) return Fail("the name is there twice");
  return true;
}

bool SafetensorsSax::FieldKey(const std::string& name) {
  bool* seen = nullptr;
  State next = State::kFields;
  if (name == "dtype") {
    seen = &has_dtype_;
    next = State::kDType;
  } else if (name == "shape") {
    seen = &has_shape_;
    next = State::kShape;
  } else if (name == "data_offsets") {
    seen = &has_offsets_;
    next = State::kOffsets;
  } else {
    return Fail(StrCat("unknown key \"",
                       absl::Utf8SafeCEscape(name.substr(0, 20)), "\""));
  }
  if (*seen) return Fail(StrCat(name, " is there twice"));
  *seen = true;
  state_ = next;
  return true;
}

bool SafetensorsSax::end_object() {
  if (state_ == State::kFields) {
    if (!has_dtype_ || !has_shape_ || !has_offsets_) {
      return Fail(StrCat(!has_dtype_   ? "dtype"
                         : !has_shape_ ? "shape"
                                       : "data_offsets",
                         " is missing"));
    }
    entries_.back().begin = offsets_[0];
    entries_.back().end = offsets_[1];
    state_ = State::kTop;
    return true;
  }
  inside_ = false;
  state_ = state_ == State::kMetadata ? State::kTop : State::kEnd;
  return true;
}

bool SafetensorsSax::start_array(size_t) {
  const bool awaited = state_ == State::kShape || state_ == State::kOffsets;
  if (!awaited || inside_) return Unexpected("an array");
  inside_ = true;
  return true;
}

bool SafetensorsSax::end_array() {
  if (state_ == State::kOffsets && offsets_.size() != 2) {
    return Fail(StrCat(offsets_.size(), " data_offsets, expected two"));
  }
  inside_ = false;
  state_ = State::kFields;
  return true;
}

bool SafetensorsSax::parse_error(size_t position, const std::string&,
                                 const nlohmann::json::exception&) {
  return Fail(StrCat("not JSON at byte ", position));
}

}  // namespace meanfield
