#include "coordinator/corpus/label_text_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

using LabelSet = absl::flat_hash_set<std::string_view>;

LabelSet LabelsOf(const TextFile& file) {
  LabelSet labels;
  for (LineCursor cursor(file); cursor.Next();) {
    const size_t tab = cursor.line().find('\t');
    if (tab != std::string_view::npos) {
      labels.insert(TrimBlanks(cursor.line().substr(0, tab)));
    }
  }
  labels.erase("");
  return labels;
}

struct Parts {
  std::string_view label;
  std::string_view text;
};

Parts SplitAt(std::string_view line, size_t at) {
  return {line.substr(0, at), line.substr(std::min(at + 1, line.size()))};
}

}  // namespace

absl::Status LabelTextReader::Read(const TextFile& file, BadLines policy,
                                   SampleSink& sink) const {
  const LabelSet known =
      policy == BadLines::kMend ? LabelsOf(file) : LabelSet();
  std::vector<std::string_view> labels;
  std::vector<std::string_view> tokens;
  for (LineCursor cursor(file); cursor.Next();) {
    const uint64_t number = cursor.number();
    const std::string_view line = cursor.line();
    if (IsBlank(line)) continue;
    if (policy == BadLines::kLeaveOut && file.IsFaulty(number, number)) {
      sink.LeftOut(number);
      continue;
    }
    Parts parts = SplitAt(line, line.find('\t'));
    if (line.find('\t') == std::string_view::npos) {
      parts = SplitAt(line, line.find(' '));
      const std::string what = StrCat("saw no TAB in ", Quoted(line));
      if (!known.contains(parts.label)) {
        sink.Fault(number,
                   StrCat(what, ", expected a label, a TAB and the ", "text"));
        sink.LeftOut(number);
        continue;
      }
      sink.Fixed(number, StrCat(what, ", read the first word as the label"));
    }
    SplitLabels(parts.label, labels_, labels);
    if (labels.empty() && !labels_.multi_label) {
      sink.Fault(number, "saw no label before the TAB");
      sink.LeftOut(number);
      continue;
    }
    SplitAtWhiteSpace(parts.text, tokens);
    sink.Add({.tokens = tokens, .labels = labels, .line = number});
  }
  return absl::OkStatus();
}

}  // namespace meanfield::corpus
