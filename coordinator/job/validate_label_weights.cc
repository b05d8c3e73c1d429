#include <set>
#include <string>

#include "common/base/strings.h"
#include "coordinator/job/validate.h"

namespace meanfield::job {
namespace {

constexpr double kMinWeight = 1e-6;
constexpr double kMaxWeight = 1e6;

}  // namespace

void ValidateLabelWeights(const LabelWeightList& weights,
                          const std::string& path, Checks& checks) {
  std::set<std::string> seen;
  for (int i = 0; i < weights.size(); ++i) {
    const std::string at = Element(Member(path, "label_weights"), i);
    const proto::LabelWeight& entry = weights[i];
    if (entry.label().empty()) {
      checks.Missing(at, "label", "a label weight needs a \"label\"");
    } else if (!seen.insert(entry.label()).second) {
      checks.Wrong(Member(at, "label"),
                   StrCat("label \"", entry.label(), "\" has two weights"));
    }
    if (!entry.has_weight()) {
      checks.Missing(at, "weight", "a label weight needs a \"weight\"");
    } else if (!(entry.weight() >= kMinWeight &&
                 entry.weight() <= kMaxWeight)) {
      checks.Wrong(Member(at, "weight"),
                   StrCat("\"weight\" must be from ", kMinWeight, " to ",
                          kMaxWeight, ", not ", entry.weight()));
    }
  }
}

}  // namespace meanfield::job
