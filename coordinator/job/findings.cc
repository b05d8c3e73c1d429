#include "coordinator/job/findings.h"

#include <algorithm>

#include "common/base/strings.h"
#include "coordinator/job/text_check.h"

namespace meanfield::job {
namespace {

// Bounds memory on input that is no job at all.
constexpr size_t kMaxStored = 10 * Findings::kMaxFaults;

// A message quotes what the user wrote, which need not be text; peers and
// terminals need UTF-8.
std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(text[0]);
      printable += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      printable += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return printable;
}

template <typename T>
std::vector<T> SortedOnce(std::vector<T> items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  return items;
}

}  // namespace

Findings::Findings(std::string_view job_file) {
  sources_.push_back(Printable(job_file));
}

int Findings::AddSource(std::string_view name) {
  sources_.push_back(Printable(name));
  return static_cast<int>(sources_.size()) - 1;
}

void Findings::AddFault(const Position& position, std::string_view message) {
  ++num_faults_;
  if (faults_.size() < kMaxStored) {
    faults_.push_back({position, Printable(message)});
  }
}

void Findings::AddWarning(const Position& position, std::string_view message) {
  if (warnings_.size() < kMaxStored) {
    warnings_.push_back({position, Printable(message)});
  }
}

Fault Findings::ToFault(const Finding& finding) const {
  const Position& at = finding.position;
  return {sources_[at.source], at.line, at.column, finding.message};
}

std::vector<Fault> Findings::Faults() const {
  std::vector<Fault> faults;
  const std::vector<Finding> sorted = SortedOnce(faults_);
  for (const Finding& finding : sorted) {
    if (faults.size() == kMaxFaults) break;
    faults.push_back(ToFault(finding));
  }
  const size_t unlisted =
      sorted.size() - faults.size() + (num_faults_ - faults_.size());
  if (unlisted > 0) {
    faults.push_back(
        {sources_[0], 0, 0,
         StrCat("and ", unlisted, " more faults; is this a job file?")});
  }
  return faults;
}

std::vector<std::string> Findings::Warnings() const {
  std::vector<std::string> warnings;
  for (const Finding& finding : SortedOnce(warnings_)) {
    warnings.push_back(FormatFault(ToFault(finding)));
  }
  return warnings;
}

std::string Findings::Describe(const Position& position,
                               const Position& from) const {
  if (position.source != from.source) {
    return FormatFault(ToFault({position, ""}));
  }
  return StrCat(position.line, ":", position.column);
}

std::string FormatFault(const Fault& fault) {
  std::string text = fault.file;
  if (fault.line > 0) StrAppend(&text, ":", fault.line);
  if (fault.column > 0) StrAppend(&text, ":", fault.column);
  if (fault.message.empty()) return text;
  return StrCat(text, ": ", fault.message);
}

}  // namespace meanfield::job
