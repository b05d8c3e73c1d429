#ifndef MEANFIELD_TESTS_COORDINATOR_AGGREGATE_MODEL_FILES_H_
#define MEANFIELD_TESTS_COORDINATOR_AGGREGATE_MODEL_FILES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/tensor/safetensors.h"
#include "common/tensor/tensor_spec.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::aggregate {

// A model or an update under construction.
class Model {
 public:
  template <typename T>
  Model& With(const std::string& name, std::vector<T> values,
              TensorRole role = TensorRole::kTrainable) {
    const int64_t size = static_cast<int64_t>(values.size());
    return With(name, {size}, std::move(values), role);
  }
  template <typename T>
  Model& With(const std::string& name, std::vector<int64_t> shape,
              std::vector<T> values, TensorRole role = TensorRole::kTrainable) {
    const auto bytes = std::as_bytes(std::span<const T>(values));
    storage_.emplace_back(bytes.begin(), bytes.end());
    specs_.push_back({name, DTypeOf<T>(), std::move(shape), role});
    return *this;
  }

  const std::vector<TensorSpec>& specs() const { return specs_; }

  SafetensorsFile WriteTo(const std::string& path) const {
    std::vector<TensorView> tensors;
    for (size_t i = 0; i < specs_.size(); ++i) {
      tensors.push_back({specs_[i], storage_[i]});
    }
    MEANFIELD_CHECK(WriteSafetensors(path, tensors).ok(), path);
    auto file = SafetensorsFile::Open(path);
    MEANFIELD_CHECK(file.ok(), path);
    return *std::move(file);
  }

 private:
  std::vector<TensorSpec> specs_;
  std::deque<std::vector<std::byte>> storage_;
};

template <typename T>
std::vector<T> ValuesOf(const SafetensorsFile& file, const std::string& name) {
  const TensorView* tensor = file.Find(name);
  MEANFIELD_CHECK(tensor != nullptr, name);
  const std::span<const T> values = tensor->As<T>();
  return {values.begin(), values.end()};
}

}  // namespace meanfield::aggregate

#endif  // MEANFIELD_TESTS_COORDINATOR_AGGREGATE_MODEL_FILES_H_
