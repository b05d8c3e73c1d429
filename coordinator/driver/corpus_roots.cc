#include "coordinator/driver/corpus_roots.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace meanfield::driver {
namespace {

// Fields of job.proto that name files.
bool NamesFile(std::string_view field) {
  return field == "train" || field == "dev" || field == "test" ||
         field == "file";
}

void CollectFiles(const google::protobuf::Message& message,
                  std::vector<std::string>& files) {
  using google::protobuf::FieldDescriptor;
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      if (!field->is_repeated() && NamesFile(field->name())) {
        files.push_back(reflection->GetString(message, field));
      }
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      const int size =
          field->is_repeated() ? reflection->FieldSize(message, field) : 1;
      for (int i = 0; i < size; ++i) {
        CollectFiles(field->is_repeated()
                         ? reflection->GetRepeatedMessage(message, field, i)
                         : reflection->GetMessage(message, field),
                     files);
      }
    }
  }
}

bool LiesBelow(const std::filesystem::path& file,
               const std::filesystem::path& root) {
  return std::mismatch(root.begin(), root.end(), file.begin(), file.end())
             .first == root.end();
}

}  // namespace

absl::Status CheckCorpusRoots(const proto::JobSpec& job,
                              const std::vector<std::string>& roots) {
  if (roots.empty()) return absl::OkStatus();
  std::vector<std::string> files;
  CollectFiles(job, files);
  for (const std::string& file : files) {
    std::error_code error;
    const auto real = std::filesystem::weakly_canonical(file, error);
    const bool allowed =
        !error &&
        std::any_of(roots.begin(), roots.end(), [&](const auto& root) {
          std::error_code root_error;
          const auto base = std::filesystem::canonical(root, root_error);
          return !root_error && LiesBelow(real, base);
        });
    if (!allowed) {
      return absl::PermissionDeniedError(
          absl::StrCat(file,
                       " does not lie below the coordinator's corpus "
                       "roots: ",
                       absl::StrJoin(roots, ", "),
                       "; the paths of a job are those of the coordinator's "
                       "machine: put the file there, or start the coordinator "
                       "with --corpus-root"));
    }
  }
  return absl::OkStatus();
}

}  // namespace meanfield::driver
