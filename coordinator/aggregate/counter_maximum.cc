#include "coordinator/aggregate/counter_maximum.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "common/base/check.h"

namespace meanfield::aggregate {
namespace {

std::string_view TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename T>
void Raise(std::span<std::byte> maximum, std::string_view values) {
  for (size_t at = 0; at < maximum.size(); at += sizeof(T)) {
    T highest, value;
    std::memcpy(&highest, maximum.data() + at, sizeof highest);
    std::memcpy(&value, values.data() + at, sizeof value);
    highest = std::max(highest, value);
    std::memcpy(maximum.data() + at, &highest, sizeof highest);
  }
}

void Raise(DType dtype, std::span<std::byte> maximum, std::string_view values) {
  switch (dtype) {
    case DType::kI64:
      return Raise<int64_t>(maximum, values);
    case DType::kI32:
      return Raise<int32_t>(maximum, values);
    case DType::kI16:
      return Raise<int16_t>(maximum, values);
    case DType::kI8:
      return Raise<int8_t>(maximum, values);
    case DType::kU8:
    case DType::kBool:
      return Raise<uint8_t>(maximum, values);
    default:
      MEANFIELD_CHECK(false, "a counter of floating-point numbers");
  }
}

}  // namespace

void CounterMaximum::Add(std::span<const std::byte> values) {
  ++counts_[std::string(TextOf(values))];
}

bool CounterMaximum::Contains(std::span<const std::byte> values) const {
  return counts_.find(TextOf(values)) != counts_.end();
}

void CounterMaximum::Remove(std::span<const std::byte> values) {
  const auto found = counts_.find(TextOf(values));
  MEANFIELD_CHECK(found != counts_.end(), "a counter that was never added");
  if (--found->second == 0) counts_.erase(found);
}

void CounterMaximum::Write(std::span<std::byte> maximum) const {
  MEANFIELD_CHECK(!counts_.empty(), "a maximum of nothing");
  std::memcpy(maximum.data(), counts_.begin()->first.data(), maximum.size());
  for (const auto& [values, count] : counts_) Raise(dtype_, maximum, values);
}

}  // namespace meanfield::aggregate
