#ifndef MEANFIELD_TESTS_WORKER_TORCH_GOLDEN_H_
#define MEANFIELD_TESTS_WORKER_TORCH_GOLDEN_H_

#include <ATen/Functions.h>

#include <fstream>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/temporary_folder.h"
#include "worker/torch/net.h"

namespace meanfield::testing {

// Numbers that Flair computed; tests that need them skip where they are not.
inline nlohmann::json FlairNumbers(const std::string& block) {
  std::ifstream file(SharedFolder() + "/golden/flair_0.15.1.json");
  return nlohmann::json::parse(file).at(block);
}

inline void Flatten(const nlohmann::json& value, std::vector<float>& to) {
  if (value.is_number()) {
    to.push_back(value.get<float>());
    return;
  }
  for (const nlohmann::json& part : value) Flatten(part, to);
}

// Nested lists of numbers.
inline at::Tensor TensorOf(const nlohmann::json& value) {
  std::vector<float> values;
  Flatten(value, values);
  std::vector<int64_t> shape = {static_cast<int64_t>(value.size())};
  if (value[0].is_array()) {
    shape.push_back(static_cast<int64_t>(value[0].size()));
  }
  return at::tensor(values, at::kFloat).view(shape);
}

// Every tensor of `to` gets its value of that name.
inline void SetTensors(const nlohmann::json& state,
                       const std::vector<NamedTensor>& to) {
  ASSERT_EQ(state.size(), to.size());
  for (const NamedTensor& tensor : to) {
    ASSERT_TRUE(state.contains(tensor.name)) << tensor.name;
    const at::Tensor value = TensorOf(state.at(tensor.name));
    ASSERT_EQ(value.sizes(), tensor.value.sizes()) << tensor.name;
    tensor.value.data().copy_(value);
  }
}

inline void ExpectNear(const at::Tensor& actual, const at::Tensor& expected,
                       double tolerance, const std::string& what) {
  ASSERT_EQ(actual.sizes(), expected.sizes()) << what;
  EXPECT_LE(at::max(at::abs(at::sub(actual, expected))).item<double>(),
            tolerance)
      << what;
}

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_WORKER_TORCH_GOLDEN_H_
