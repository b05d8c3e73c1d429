#include "coordinator/job/suggest.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "common/base/strings.h"

namespace meanfield::job {
namespace {

// Longer ones are no misspelling of a name of ours.
constexpr size_t kMaxLength = 64;

// Optimal string alignment: insert, delete, replace, swap neighbours.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1),
      row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

// "learningRate" and "learning-rate" -> "learning_rate".
std::string Fold(std::string_view name) {
  std::string folded;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (absl::ascii_isupper(c) && i > 0 && absl::ascii_islower(name[i - 1])) {
      folded += '_';
    }
    folded += c == '-' || c == ' ' ? '_' : absl::ascii_tolower(c);
  }
  return folded;
}

}  // namespace

std::string Nearest(std::string_view name,
                    const std::vector<std::string>& known) {
  if (name.empty() || name.size() > kMaxLength) return "";
  const std::string wanted = Fold(name);
  std::string nearest;
  size_t best = std::max<size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::string folded = Fold(candidate);
    size_t distance = Distance(wanted, folded);
    // Part of a name ("momen", "epochs") is near however long the rest is.
    if (wanted.size() >= 4 && folded.find(wanted) != std::string::npos) {
      distance = std::min<size_t>(distance, folded.starts_with(wanted) ? 1 : 2);
    }
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view name,
                       const std::vector<std::string>& known) {
  const std::string nearest = Nearest(name, known);
  return StrCat(
      nearest.empty() ? "" : StrCat("; did you mean \"", nearest, "\"?"),
      nearest.empty() ? "; allowed: " : " Allowed: ",
      absl::StrJoin(known, ", "));
}

}  // namespace meanfield::job
