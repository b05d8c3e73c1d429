#include "worker/torch/given_tensors.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "common/base/strings.h"

namespace meanfield {
namespace {

// The spec that a given tensor has the values of.
absl::StatusOr<TensorSpec> Match(const TensorSpec& given,
                                 const std::vector<TensorSpec>& specs) {
  const auto spec = std::find_if(
      specs.begin(), specs.end(),
      [&](const TensorSpec& spec) { return spec.name == given.name; });
  if (spec == specs.end()) {
    return absl::InvalidArgumentError(
        StrCat("the given tensors hold ", DebugString(given),
               ", which the model does not have"));
  }
  if (given.dtype == spec->dtype && given.shape == spec->shape) return *spec;
  return absl::InvalidArgumentError(
      StrCat("the given tensors hold ", DebugString(given),
             ", but model.json says ", DebugString(*spec)));
}

int64_t CountTablesToFineTune(const ModelConfig& model) {
  const std::vector<Embeddings>& embeddings = std::visit(
      [](const auto& config) -> const auto& { return config.embeddings; },
      model.model);
  return std::count_if(embeddings.begin(), embeddings.end(),
                       [](const Embeddings& one) {
                         const auto* words = std::get_if<WordEmbeddings>(&one);
                         return words != nullptr && words->fine_tune;
                       });
}

}  // namespace

absl::Status CheckGivenTensors(
    const ModelConfig& model, const std::vector<TensorSpec>& specs,
    const std::vector<const SafetensorsFile*>& given) {
  std::set<std::string> trained;
  for (const SafetensorsFile* file : given) {
    for (const TensorView& tensor : file->tensors()) {
      MEANFIELD_ASSIGN_OR_RETURN(const TensorSpec spec,
                                 Match(tensor.spec, specs));
      if (spec.role == TensorRole::kTrainable) trained.insert(spec.name);
    }
  }
  const int64_t wanted = CountTablesToFineTune(model);
  if (static_cast<int64_t>(trained.size()) >= wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("model.json has ", wanted,
             " tables of word vectors to fine-tune, "
             "but the values of ",
             trained.size(),
             " trained tensors are "
             "given: such a table starts from its file"));
}

}  // namespace meanfield
