#include "coordinator/job/checks.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/base/strings.h"
#include "coordinator/job/suggest.h"

namespace meanfield::job {
namespace {

bool Within(double value, Interval interval) {
  switch (interval) {
    case Interval::kPositive:
      return value > 0;
    case Interval::kNotNegative:
      return value >= 0;
    case Interval::kFraction:
      return value > 0 && value < 1;
    case Interval::kBelowOne:
      return value >= 0 && value < 1;
  }
  return false;
}

std::string_view Expected(Interval interval) {
  switch (interval) {
    case Interval::kPositive:
      return "above 0";
    case Interval::kNotNegative:
      return "0 or more";
    case Interval::kFraction:
      return "above 0 and below 1";
    case Interval::kBelowOne:
      return "0 or more and below 1";
  }
  return "";
}

}  // namespace

void Checks::Wrong(std::string_view path, std::string message) {
  findings_.AddFault(positions_.Value(path), std::move(message));
}

void Checks::WrongField(std::string_view path, std::string message) {
  findings_.AddFault(positions_.Name(path), std::move(message));
}

void Checks::Warn(std::string_view path, std::string message) {
  findings_.AddWarning(positions_.Name(path), std::move(message));
}

void Checks::Missing(std::string_view path, std::string_view field,
                     std::string message) {
  MissingAll(path, {std::string(field)}, std::move(message));
}

void Checks::MissingAll(std::string_view path,
                        const std::vector<std::string>& fields,
                        std::string message) {
  if (positions_.Attempted(path)) return;
  for (const std::string& field : fields) {
    if (positions_.Attempted(Member(path, field))) return;
  }
  findings_.AddFault(positions_.Name(path), std::move(message));
}

void Checks::Whole(std::string_view path, uint64_t value, uint64_t low,
                   uint64_t high) {
  if (value >= low && value <= high) return;
  const std::string expected = high == std::numeric_limits<uint32_t>::max()
                                   ? StrCat("at least ", low)
                                   : StrCat("from ", low, " to ", high);
  Wrong(path,
        StrCat("\"", LastPart(path), "\" must be ", expected, ", not ", value));
}

void Checks::Number(std::string_view path, double value, Interval interval) {
  if (Within(value, interval)) return;
  Wrong(path, StrCat("\"", LastPart(path), "\" must be ", Expected(interval),
                     ", not ", value));
}

void Checks::OneOf(std::string_view path, std::string_view name,
                   const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  Wrong(path, StrCat("\"", LastPart(path), "\" has no value \"", name, "\"",
                     DidYouMean(name, known)));
}

std::string LastPart(std::string_view path) {
  std::string_view last = path.substr(path.rfind('.') + 1);
  return std::string(last.substr(0, last.find('[')));
}

}  // namespace meanfield::job
