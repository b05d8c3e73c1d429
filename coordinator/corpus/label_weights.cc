#include "coordinator/corpus/label_weights.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"

namespace meanfield::corpus {
namespace {

constexpr std::string_view kSpanPrefixes[] = {"S-", "B-", "E-", "I-"};
constexpr size_t kLabelsListed = 30;

std::string ListOf(const Dictionary& labels) {
  std::string list;
  for (const std::string& label : labels.items()) {
    StrAppend(&list, list.empty() ? "" : ", ", Quoted(label));
    if (static_cast<size_t>(&label - labels.items().data()) + 1 ==
        kLabelsListed) {
      return labels.items().size() > kLabelsListed ? list + ", …" : list;
    }
  }
  return list;
}

// The ids that a name stands for.
std::vector<int32_t> IdsOf(const std::string& name,
                           const Dictionaries& dictionaries) {
  std::vector<int32_t> ids;
  if (const int32_t id = dictionaries.labels.Find(name); id >= 0) {
    ids.push_back(id);
  } else if (dictionaries.label_kind == LabelKind::kSpan) {
    for (const std::string_view prefix : kSpanPrefixes) {
      const int32_t tag = dictionaries.labels.Find(StrCat(prefix, name));
      if (tag >= 0) ids.push_back(tag);
    }
  }
  return ids;
}

}  // namespace

absl::StatusOr<std::vector<double>> MakeLabelWeights(
    const google::protobuf::RepeatedPtrField<proto::LabelWeight>& weights,
    const Dictionaries& dictionaries) {
  std::vector<double> all;
  if (weights.empty()) return all;
  all.assign(static_cast<size_t>(dictionaries.labels.size()), 1);
  for (const proto::LabelWeight& weight : weights) {
    const std::vector<int32_t> ids = IdsOf(weight.label(), dictionaries);
    if (ids.empty()) {
      return absl::InvalidArgumentError(
          StrCat("label_weights: the training data has no label ",
                 Quoted(weight.label()), "; its labels are ",
                 ListOf(dictionaries.labels)));
    }
    for (const int32_t id : ids) {
      all[static_cast<size_t>(id)] = weight.weight();
    }
  }
  return all;
}

}  // namespace meanfield::corpus
