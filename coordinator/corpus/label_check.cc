#include "coordinator/corpus/label_check.h"

#include <cstdint>
#include <map>
#include <string_view>

#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/span_tags.h"
#include "coordinator/corpus/split_view.h"

namespace meanfield::corpus {

bool HasSpans(const SampleTable& table) {
  for (int32_t tag = 0; tag < table.label_names().size(); ++tag) {
    if (HasSpanPrefix(table.label_names().at(tag))) return true;
  }
  return false;
}

OddSpanTags FindOddSpanTags(const SampleTable& table) {
  std::vector<bool> wrong;
  for (int32_t tag = 0; tag < table.label_names().size(); ++tag) {
    const std::string_view text = table.label_names().at(tag);
    wrong.push_back(!HasSpanPrefix(text) && !IsOutside(text));
  }
  OddSpanTags odd;
  odd.sentences.resize(static_cast<size_t>(table.size()));
  for (int64_t sample = 0; sample < table.size(); ++sample) {
    for (const int32_t tag : table.tags(sample)) {
      if (!wrong[static_cast<size_t>(tag)]) continue;
      odd.sentences[static_cast<size_t>(sample)] = true;
      odd.faults.Add(table.line(sample),
                     StrCat("saw tag ", Quoted(table.label_names().at(tag)),
                            " in the sentence that starts here, expected O, "
                            "or B-, I-, E- or S- and a class, as other tags "
                            "of the column have"));
      break;
    }
  }
  return odd;
}

std::vector<std::string> WarnOfUnknownLabels(const SampleTable& table,
                                             const Dictionaries& dictionaries) {
  struct Occurrences {
    uint64_t count = 0;
    uint32_t first_line = 0;
  };
  std::map<std::string, Occurrences> unknown;
  const bool spans = dictionaries.label_kind == LabelKind::kSpan;
  for (int64_t sample = 0; sample < table.size(); ++sample) {
    for (const std::string& label :
         ScoredLabels(table, sample, dictionaries.label_kind)) {
      const std::string item = spans ? StrCat("S-", label) : label;
      if (dictionaries.labels.Find(item) >= 0) continue;
      Occurrences& seen = unknown[label];
      if (seen.count++ == 0) seen.first_line = table.line(sample);
    }
  }
  constexpr size_t kMostWarnings = 10;
  std::vector<std::string> warnings;
  for (const auto& [label, seen] : unknown) {
    if (warnings.size() == kMostWarnings) {
      warnings.push_back(StrCat(table.path(), ": and ",
                                unknown.size() - kMostWarnings,
                                " more labels that training lacks"));
      break;
    }
    warnings.push_back(StrCat(
        table.path(), ":", seen.first_line, ": label ", Quoted(label), " (",
        seen.count, " here) does not occur in the training data: it cannot be ",
        "predicted and counts as an error"));
  }
  return warnings;
}

}  // namespace meanfield::corpus
