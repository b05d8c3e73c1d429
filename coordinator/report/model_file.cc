#include "coordinator/report/model_file.h"

#include <utility>
#include <vector>

#include "common/base/status.h"
#include "common/tensor/safetensors.h"
#include "coordinator/report/output_file.h"

namespace meanfield::report {
namespace {

absl::StatusOr<std::string> PathOf(const BlobStore& blobs,
                                   const proto::BlobRef& ref) {
  return blobs.Path({.id = ref.id(), .size = ref.size()});
}

}  // namespace

absl::Status WriteModelFile(const BlobStore& blobs, const proto::RunRecord& run,
                            const proto::BlobRef& model,
                            const std::string& path) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string source, PathOf(blobs, model));
  if (run.frozen().empty()) return LinkOrCopy(source, path);
  std::vector<SafetensorsFile> files;
  MEANFIELD_ASSIGN_OR_RETURN(SafetensorsFile trained,
                             SafetensorsFile::Open(source));
  files.push_back(std::move(trained));
  for (const proto::FrozenTensor& frozen : run.frozen()) {
    MEANFIELD_ASSIGN_OR_RETURN(const std::string file,
                               PathOf(blobs, frozen.file()));
    MEANFIELD_ASSIGN_OR_RETURN(SafetensorsFile opened,
                               SafetensorsFile::Open(file));
    files.push_back(std::move(opened));
  }
  std::vector<TensorView> tensors;
  for (const SafetensorsFile& file : files) {
    tensors.insert(tensors.end(), file.tensors().begin(), file.tensors().end());
  }
  return ReplaceIfChanged(path, [&](const std::string& part) {
    return WriteSafetensors(part, tensors);
  });
}

}  // namespace meanfield::report
