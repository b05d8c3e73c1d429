#include "coordinator/cli/gpu_list.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/base/status.h"

namespace meanfield::cli {

namespace {

absl::Status Refuse(absl::string_view what, const GpuInventory& present) {
  return absl::InvalidArgumentError(
      absl::StrCat("--gpus: ", what, "; present: ", ListGpus(present)));
}

// The GPUs of one entry: a number, a range, "all" or a UUID.
absl::StatusOr<std::vector<Gpu>> SelectEntry(absl::string_view entry,
                                             const GpuInventory& present) {
  if (entry == "all") return present.gpus;
  int first = 0;
  int last = 0;
  const std::pair<absl::string_view, absl::string_view> range =
      absl::StrSplit(entry, absl::MaxSplits('-', 1));
  const bool is_range = absl::StrContains(entry, '-') &&
                        absl::SimpleAtoi(range.first, &first) &&
                        absl::SimpleAtoi(range.second, &last);
  if (!is_range && absl::SimpleAtoi(entry, &first)) last = first;
  if (is_range && last < first) {
    return Refuse(absl::StrCat("range ", entry, " runs backwards"), present);
  }
  std::vector<Gpu> chosen;
  if (is_range || absl::SimpleAtoi(entry, &first)) {
    for (int id = first; id <= last; ++id) {
      if (id < 0 || id >= static_cast<int>(present.gpus.size())) {
        return Refuse(absl::StrCat("there is no GPU ", id), present);
      }
      chosen.push_back(present.gpus[id]);
    }
    return chosen;
  }
  for (const Gpu& gpu : present.gpus) {
    if (absl::StartsWith(gpu.uuid, entry)) chosen.push_back(gpu);
  }
  if (chosen.size() == 1) return chosen;
  return Refuse(absl::StrCat("\"", entry, "\" is ",
                             chosen.empty() ? "neither a GPU's number, a range "
                                              "such as 0-3, \"all\", nor a UUID"
                                            : "the beginning of several UUIDs"),
                present);
}

}  // namespace

std::string ListGpus(const GpuInventory& present) {
  if (present.gpus.empty()) {
    return present.driver.empty() ? "no GPU (no NVIDIA driver found)"
                                  : "no GPU (CUDA_VISIBLE_DEVICES hides all, "
                                    "or the driver sees none)";
  }
  std::string text;
  for (const Gpu& gpu : present.gpus) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", gpu.id, ": ", gpu.name,
                    " (", gpu.uuid, ")");
  }
  return text;
}

absl::StatusOr<std::vector<Gpu>> SelectGpus(
    const std::vector<std::string>& values, const GpuInventory& present) {
  std::vector<Gpu> chosen;
  for (const std::string& value : values) {
    for (absl::string_view entry :
         absl::StrSplit(value, absl::ByAnyChar(", \t"), absl::SkipEmpty())) {
      MEANFIELD_ASSIGN_OR_RETURN(const std::vector<Gpu> gpus,
                                 SelectEntry(entry, present));
      for (const Gpu& gpu : gpus) {
        const bool doubled =
            std::any_of(chosen.begin(), chosen.end(),
                        [&](const Gpu& other) { return other.id == gpu.id; });
        if (doubled) {
          return Refuse(absl::StrCat("GPU ", gpu.id, " is named twice"),
                        present);
        }
        chosen.push_back(gpu);
      }
    }
  }
  if (chosen.empty()) return Refuse("no GPU is named", present);
  return chosen;
}

}  // namespace meanfield::cli
