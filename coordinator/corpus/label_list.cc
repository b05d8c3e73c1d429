#include "coordinator/corpus/label_list.h"

#include <algorithm>
#include <cstddef>

#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {

void AddLabel(std::string_view label, std::vector<std::string_view>& labels) {
  if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
    labels.push_back(label);
  }
}

void SplitLabels(std::string_view field, const LabelRules& rules,
                 std::vector<std::string_view>& labels) {
  labels.clear();
  const bool several = rules.multi_label && rules.delimiter != '\0';
  while (true) {
    const size_t end =
        several ? field.find(rules.delimiter) : std::string_view::npos;
    const std::string_view label = TrimBlanks(field.substr(0, end));
    if (!label.empty()) AddLabel(label, labels);
    if (end == std::string_view::npos) return;
    field.remove_prefix(end + 1);
  }
}

}  // namespace meanfield::corpus
