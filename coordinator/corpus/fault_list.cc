#include "coordinator/corpus/fault_list.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "common/base/strings.h"

namespace meanfield::corpus {

void FaultList::Add(uint64_t line, std::string what) {
  ++count_;
  const auto after = std::upper_bound(
      kept_.begin(), kept_.end(), line,
      [](uint64_t value, const Fault& fault) { return value < fault.line; });
  kept_.insert(after, {line, std::move(what)});
  if (kept_.size() > kKept) kept_.pop_back();
}

absl::Status FaultList::ToStatus(std::string_view file) const {
  if (empty()) return absl::OkStatus();
  std::string message;
  for (const Fault& fault : kept_) {
    StrAppend(&message, message.empty() ? "" : "\n", file, ":", fault.line,
              ": ", fault.what);
  }
  if (count_ > kept_.size()) {
    StrAppend(&message, "\n", file, ": and ", count_ - kept_.size(),
              " more bad lines");
  }
  return absl::InvalidArgumentError(message);
}

std::string Quoted(std::string_view text) {
  constexpr size_t kLongest = 60;  // bytes
  if (text.size() <= kLongest) {
    return StrCat("\"", absl::Utf8SafeCEscape(AbslView(text)), "\"");
  }
  size_t cut = kLongest;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) {
    --cut;
  }
  return StrCat("\"", absl::Utf8SafeCEscape(AbslView(text.substr(0, cut))),
                "…\" (", text.size(), " bytes)");
}

}  // namespace meanfield::corpus
