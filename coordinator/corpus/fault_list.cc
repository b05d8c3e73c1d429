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

void FaultList::Add(const FaultList& other) {
  const uint64_t count = count_ + other.count_;
  for (const Fault& fault : other.kept_) Add(fault.line, fault.what);
  count_ = count;
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
              " more faults");
  }
  return absl::InvalidArgumentError(message);
}

std::string Quoted(std::string_view text) {
  constexpr size_t kLongest = 60;  // bytes
  size_t end = std::min(text.size(), kLongest);
  // Not in the middle of a character.
  while (end > 0 && end < text.size() &&
         (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  std::string quoted = "\"";
  for (const char c : text.substr(0, end)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (control) {
      StrAppend(&quoted, absl::CEscape(absl::string_view(&c, 1)));
    } else {
      quoted.push_back(c);
    }
  }
  if (end == text.size()) return quoted + "\"";
  return StrCat(quoted, "…\" (", text.size(), " bytes)");
}

}  // namespace meanfield::corpus
