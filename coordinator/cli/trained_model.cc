#include "coordinator/cli/trained_model.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/model/model_config.h"
#include "common/model/training_config.h"
#include "common/tensor/safetensors.h"
#include "nlohmann/json.hpp"

namespace meanfield::cli {

namespace fs = std::filesystem;

namespace {

absl::Status Damaged(const fs::path& path, const absl::Status& why) {
  return absl::InvalidArgumentError(
      absl::StrCat(path.string(), ": ", why.message()));
}

absl::StatusOr<std::string> ReadText(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in.good()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "cannot read ", path.string(), "; ", path.parent_path().string(),
        " must be the output folder of a finished run (--out of meanfield "
        "train)"));
  }
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

using Json = nlohmann::json;

// What report.json says of the weights.
struct Hashes {
  std::string model;
  std::map<std::string, std::string> frozen;  // by the tensor's name
};

absl::StatusOr<Hashes> ReadHashes(const fs::path& path) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string text, ReadText(path));
  const Json report = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto string_at = [](const Json& json, const char* pointer) {
    const Json::json_pointer at(pointer);
    return json.contains(at) && json[at].is_string()
               ? json[at].get<std::string>()
               : std::string();
  };
  Hashes hashes{.model = string_at(report, "/best/model_hash")};
  if (hashes.model.empty()) {
    return Damaged(path, absl::DataLossError("there is no best.model_hash"));
  }
  if (!report.contains("frozen")) return hashes;
  for (const Json& frozen : report["frozen"]) {
    hashes.frozen[string_at(frozen, "/tensor")] = string_at(frozen, "/hash");
  }
  return hashes;
}

absl::Status CheckHash(const fs::path& path, std::string_view what,
                       const std::string& id, const std::string& expected) {
  if (id == expected) return absl::OkStatus();
  return Damaged(path, absl::DataLossError(StrCat(
                           what, " hash to ", id, ", but report.json says ",
                           expected, ": the file was changed or damaged")));
}

// A second name for the file, or a copy on another file system: the store takes
// that one in.
absl::StatusOr<Blob> TakeIn(const fs::path& path, BlobStore& blobs) {
  const std::string temporary = blobs.NewTemporary();
  std::error_code error;
  fs::create_hard_link(path, temporary, error);
  if (error) fs::copy_file(path, temporary, error);
  if (error) return ErrnoStatus(error.value(), "read", path.string());
  return blobs.Adopt(temporary, Durability::kCached);
}

// Some of the file's tensors, as they were before they were exported.
absl::StatusOr<Blob> TakeInTensors(const std::vector<TensorView>& tensors,
                                   BlobStore& blobs) {
  const std::string temporary = blobs.NewTemporary();
  MEANFIELD_RETURN_IF_ERROR(WriteSafetensors(temporary, tensors));
  return blobs.Adopt(temporary, Durability::kCached);
}

// Takes the file apart again: its bytes are those that the report names.
absl::Status TakeInWeights(const fs::path& folder, BlobStore& blobs,
                           TrainedModel& model) {
  const fs::path path = folder / "best.safetensors";
  if (!fs::exists(path)) return ReadText(path).status();
  const auto file = SafetensorsFile::Open(path.string());
  if (!file.ok()) return Damaged(path, file.status());
  MEANFIELD_ASSIGN_OR_RETURN(const Hashes hashes,
                             ReadHashes(folder / "report.json"));
  if (hashes.frozen.empty()) {
    MEANFIELD_ASSIGN_OR_RETURN(model.weights, TakeIn(path, blobs));
    return CheckHash(path, "its bytes", model.weights.id, hashes.model);
  }
  std::vector<TensorView> trained;
  for (const TensorView& tensor : file->tensors()) {
    const auto frozen = hashes.frozen.find(tensor.spec.name);
    if (frozen == hashes.frozen.end()) {
      trained.push_back(tensor);
      continue;
    }
    MEANFIELD_ASSIGN_OR_RETURN(const Blob blob, TakeInTensors({tensor}, blobs));
    MEANFIELD_RETURN_IF_ERROR(
        CheckHash(path, StrCat("the bytes of ", tensor.spec.name), blob.id,
                  frozen->second));
    model.frozen.push_back(blob);
  }
  if (model.frozen.size() != hashes.frozen.size()) {
    return Damaged(path, absl::DataLossError(
                             StrCat("it holds ", model.frozen.size(),
                                    " frozen tensors, but report.json says ",
                                    hashes.frozen.size())));
  }
  MEANFIELD_ASSIGN_OR_RETURN(model.weights, TakeInTensors(trained, blobs));
  return CheckHash(path, "the bytes of its trained tensors", model.weights.id,
                   hashes.model);
}

}  // namespace

absl::StatusOr<TrainedModel> LoadTrainedModel(const std::string& run_folder,
                                              BlobStore& blobs) {
  const fs::path folder(run_folder);
  TrainedModel model;
  MEANFIELD_ASSIGN_OR_RETURN(const std::string words,
                             ReadText(folder / "dictionaries.json"));
  absl::StatusOr<corpus::Dictionaries> dictionaries =
      corpus::Dictionaries::Parse(words);
  if (!dictionaries.ok()) {
    return Damaged(folder / "dictionaries.json", dictionaries.status());
  }
  model.dictionaries = *std::move(dictionaries);

  MEANFIELD_ASSIGN_OR_RETURN(const std::string config,
                             ReadText(folder / "model.json"));
  if (const auto parsed = ParseModelConfig(config); !parsed.ok()) {
    return Damaged(folder / "model.json", parsed.status());
  }
  MEANFIELD_ASSIGN_OR_RETURN(const std::string training,
                             ReadText(folder / "training.json"));
  if (const auto parsed = ParseTrainingConfig(training); !parsed.ok()) {
    return Damaged(folder / "training.json", parsed.status());
  }
  MEANFIELD_ASSIGN_OR_RETURN(model.model_config,
                             blobs.Put(config, Durability::kCached));
  MEANFIELD_ASSIGN_OR_RETURN(model.training_config,
                             blobs.Put(training, Durability::kCached));
  MEANFIELD_RETURN_IF_ERROR(TakeInWeights(folder, blobs, model));
  return model;
}

}  // namespace meanfield::cli
