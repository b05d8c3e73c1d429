#include "coordinator/cli/trained_model.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/blob/hash.h"
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

// The bytes are those that the report names, and a file of tensors at all.
absl::Status CheckWeights(const fs::path& folder) {
  const fs::path path = folder / "best.safetensors";
  if (!fs::exists(path)) return ReadText(path).status();
  if (const auto file = SafetensorsFile::Open(path.string()); !file.ok()) {
    return Damaged(path, file.status());
  }
  MEANFIELD_ASSIGN_OR_RETURN(const std::string text,
                             ReadText(folder / "report.json"));
  const auto report =
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto hash = nlohmann::json::json_pointer("/best/model_hash");
  if (!report.is_object() || !report.contains(hash) ||
      !report[hash].is_string()) {
    return Damaged(folder / "report.json",
                   absl::DataLossError("there is no best.model_hash in it"));
  }
  MEANFIELD_ASSIGN_OR_RETURN(const std::string id, BlobIdOfFile(path.string()));
  if (id == report[hash].get<std::string>()) return absl::OkStatus();
  return Damaged(path, absl::DataLossError(absl::StrCat(
                           "its bytes hash to ", id, ", but report.json says ",
                           report[hash].get<std::string>(),
                           ": the file was changed or damaged")));
}

// A second name for the file, or a copy on another file system: the store takes
// that one in.
absl::StatusOr<Blob> TakeIn(const fs::path& path, BlobStore& blobs) {
  const std::string temporary = blobs.NewTemporary();
  std::error_code error;
  fs::create_hard_link(path, temporary, error);
  if (error) fs::copy_file(path, temporary, error);
  if (error) return ErrnoStatus(error.value(), "reading", path.string());
  return blobs.Adopt(temporary, Durability::kCached);
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
  MEANFIELD_RETURN_IF_ERROR(CheckWeights(folder));
  MEANFIELD_ASSIGN_OR_RETURN(model.weights,
                             TakeIn(folder / "best.safetensors", blobs));
  return model;
}

}  // namespace meanfield::cli
