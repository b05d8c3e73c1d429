#include "coordinator/corpus/fasttext_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/label_list.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

constexpr std::string_view kPrefix = "__label__";

std::string_view WithoutLeadingSpace(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

// Takes the labels that the rest of a line begins with: their names.
void TakeLabels(std::string_view& rest, std::vector<std::string_view>& labels) {
  labels.clear();
  while (rest.starts_with(kPrefix)) {
    const size_t end = std::min(rest.find_first_of(" \t"), rest.size());
    AddLabel(rest.substr(kPrefix.size(), end - kPrefix.size()), labels);
    rest = WithoutLeadingSpace(rest.substr(end));
  }
}

// What is wrong with a line; empty: nothing.
std::string FaultOf(std::string_view line,
                    const std::vector<std::string_view>& labels,
                    bool multi_label) {
  if (std::find(labels.begin(), labels.end(), "") != labels.end()) {
    return "saw __label__ without a name after it";
  }
  if (multi_label) return "";
  if (labels.empty()) {
    return StrCat("saw ", Quoted(line),
                  ", expected a line that starts with __label__NAME");
  }
  if (labels.size() > 1) {
    return StrCat("saw a second label, ", Quoted(StrCat(kPrefix, labels[1])),
                  ", expected one label a text (or multi_label: true in the "
                  "text_classifier)");
  }
  return "";
}

}  // namespace

absl::Status FastTextReader::Read(const TextFile& file, BadLines policy,
                                  SampleSink& sink) const {
  std::vector<std::string_view> labels;
  std::vector<std::string_view> tokens;
  for (LineCursor cursor(file); cursor.Next();) {
    const uint64_t number = cursor.number();
    std::string_view line = cursor.line();
    if (IsBlank(line)) continue;
    if (policy == BadLines::kLeaveOut && file.IsFaulty(number, number)) {
      sink.LeftOut(number);
      continue;
    }
    const std::string_view trimmed = WithoutLeadingSpace(line);
    const bool indented =
        trimmed.size() < line.size() && trimmed.starts_with(kPrefix);
    std::string_view rest =
        indented && policy == BadLines::kMend ? trimmed : line;
    TakeLabels(rest, labels);
    if (std::string what = FaultOf(line, labels, multi_label_); !what.empty()) {
      sink.Fault(number, std::move(what));
      sink.LeftOut(number);
      continue;
    }
    if (rest.data() != line.data() && indented) {
      sink.Fixed(number, "saw blanks before the label, read without them");
    }
    SplitAtWhiteSpace(rest, tokens);
    sink.Add({.tokens = tokens, .labels = labels, .line = number});
  }
  return absl::OkStatus();
}

}  // namespace meanfield::corpus
