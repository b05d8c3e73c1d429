#include "coordinator/corpus/word_vector_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <system_error>

#include "absl/strings/numbers.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"

namespace meanfield::corpus {
namespace {

using Row = WordVectorRows::Row;

constexpr int64_t kMaxRows = std::numeric_limits<int32_t>::max() - 1;
constexpr int64_t kMaxVectorSize = int64_t{1} << 20;
constexpr size_t kLongestWord = 4096;  // bytes, in a binary file
constexpr std::string_view kBlanks = " \t";

absl::Status Invalid(std::string_view place, std::string_view what) {
  return absl::InvalidArgumentError(StrCat(place, ": ", what));
}

// The line that `bytes` starts with, which it then lacks.
std::string_view TakeLine(std::string_view& bytes) {
  const size_t end = bytes.find('\n');
  std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  while (!line.empty() &&
         (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) {
    line.remove_suffix(1);
  }
  return line;
}

int64_t CountFields(std::string_view line) {
  int64_t fields = 0;
  for (size_t at = 0; at < line.size();) {
    at = line.find_first_not_of(kBlanks, at);
    if (at == std::string_view::npos) break;
    ++fields;
    at = std::min(line.find_first_of(kBlanks, at), line.size());
  }
  return fields;
}

struct Header {
  int64_t rows = 0;
  int64_t vector_size = 0;
};

std::optional<Header> ParseHeader(std::string_view line) {
  const size_t blank = line.find_first_of(kBlanks);
  if (blank == std::string_view::npos) return std::nullopt;
  Header header;
  if (!absl::SimpleAtoi(AbslView(line.substr(0, blank)), &header.rows) ||
      !absl::SimpleAtoi(AbslView(line.substr(blank + 1)),
                        &header.vector_size) ||
      header.rows < 0 || header.vector_size < 1) {
    return std::nullopt;
  }
  return header;
}

// Whether the first line says how many rows of which size follow. "7 1" may
// also be the word 7 with a vector of one value.
std::optional<Header> HeaderOf(std::string_view bytes) {
  std::optional<Header> header = ParseHeader(TakeLine(bytes));
  if (!header.has_value() || header->vector_size > 1) return header;
  int64_t rows = 0;
  while (!bytes.empty()) rows += TakeLine(bytes).empty() ? 0 : 1;
  return rows == header->rows ? header : std::nullopt;
}

absl::Status CheckSize(int64_t vector_size, const std::string& path) {
  if (vector_size >= 1 && vector_size <= kMaxVectorSize) {
    return absl::OkStatus();
  }
  return Invalid(PlaceOf(path, /*binary=*/false, 1),
                 StrCat("saw vectors of ", vector_size, " values, expected 1 ",
                        "to ", kMaxVectorSize));
}

absl::Status CheckRows(int64_t seen, std::optional<int64_t> announced,
                       const std::string& path) {
  if (announced.has_value() && seen != *announced) {
    return Invalid(path, StrCat("saw ", seen, " rows, the first line says ",
                                *announced, ": is the file complete?"));
  }
  if (seen >= 1 && seen <= kMaxRows) return absl::OkStatus();
  return Invalid(path, StrCat("saw ", seen, " rows, expected 1 to ", kMaxRows));
}

// Word and values of a line; false where there are too few fields.
bool SplitRow(std::string_view line, int64_t vector_size, Row& row) {
  size_t begin = line.size();
  for (int64_t field = 0; field < vector_size; ++field) {
    if (begin == 0) return false;
    const size_t end = line.find_last_not_of(kBlanks, begin - 1);
    if (end == std::string_view::npos) return false;
    const size_t blank = line.find_last_of(kBlanks, end);
    if (blank == std::string_view::npos) return false;
    begin = blank + 1;
  }
  row.values = line.substr(begin);
  const size_t end = line.substr(0, begin).find_last_not_of(kBlanks);
  row.word = line.substr(0, end == std::string_view::npos ? 0 : end + 1);
  return !row.word.empty();
}

// Python takes a "+", from_chars does not. What a float cannot hold is looked
// at as a double: tiny numbers are fine.
bool ParseFloat(std::string_view field, float& value) {
  if (field.starts_with('+')) field.remove_prefix(1);
  const char* const end = field.data() + field.size();
  auto result = std::from_chars(field.data(), end, value);
  if (result.ec == std::errc::result_out_of_range) {
    double wide = 0;
    result = std::from_chars(field.data(), end, wide);
    if (result.ec == std::errc::result_out_of_range && result.ptr == end) {
      // Even a double is too small, or too large.
      return absl::SimpleAtof(AbslView(field), &value) && std::isfinite(value);
    }
    value = static_cast<float>(wide);
  }
  return result.ec == std::errc() && result.ptr == end && std::isfinite(value);
}

absl::Status ReadTextValues(std::string_view fields, std::span<float> values) {
  size_t at = 0;
  for (float& value : values) {
    at = fields.find_first_not_of(kBlanks, at);
    const size_t end =
        std::min(fields.find_first_of(kBlanks, at), fields.size());
    const std::string_view field = fields.substr(at, end - at);
    if (!ParseFloat(field, value)) {
      return absl::InvalidArgumentError(
          StrCat("saw ", Quoted(field), " as value ",
                 &value - values.data() + 1, " of ", values.size(),
                 " of the word's vector, expected a finite number"));
    }
    at = end;
  }
  return absl::OkStatus();
}

absl::Status ReadBinaryValues(std::string_view bytes, std::span<float> values) {
  std::memcpy(values.data(), bytes.data(), bytes.size());
  for (const float& value : values) {
    if (std::isfinite(value)) continue;
    return absl::InvalidArgumentError(StrCat(
        "saw ", value, " as value ", &value - values.data() + 1, " of ",
        values.size(), " of the word's vector, expected a finite number"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string PlaceOf(const std::string& path, bool binary, uint64_t number) {
  return StrCat(path, binary ? ": row " : ":", number);
}

absl::StatusOr<WordVectorRows> ParseTextVectors(std::string_view bytes,
                                                const std::string& path) {
  WordVectorRows table;
  uint64_t number = 0;
  std::optional<int64_t> announced;
  std::string_view rest = bytes;
  if (const std::optional<Header> header = HeaderOf(bytes)) {
    announced = header->rows;
    table.vector_size = header->vector_size;
    TakeLine(rest);
    ++number;
  } else {
    std::string_view first = bytes;
    table.vector_size = CountFields(TakeLine(first)) - 1;
  }
  if (bytes.empty()) return Invalid(path, "is empty, expected word vectors");
  MEANFIELD_RETURN_IF_ERROR(CheckSize(table.vector_size, path));
  FaultList faults;
  while (!rest.empty()) {
    const std::string_view line = TakeLine(rest);
    ++number;
    if (line.empty()) continue;
    Row row{.number = number};
    if (SplitRow(line, table.vector_size, row)) {
      table.rows.push_back(row);
    } else {
      faults.Add(number, StrCat("saw ", Quoted(line), ", expected a word and ",
                                table.vector_size, " values"));
    }
  }
  MEANFIELD_RETURN_IF_ERROR(faults.ToStatus(path));
  MEANFIELD_RETURN_IF_ERROR(
      CheckRows(static_cast<int64_t>(table.rows.size()), announced, path));
  return table;
}

absl::StatusOr<WordVectorRows> ParseBinaryVectors(std::string_view bytes,
                                                  const std::string& path) {
  WordVectorRows table{.binary = true};
  std::string_view rest = bytes;
  const std::string_view first = TakeLine(rest);
  const std::optional<Header> header = ParseHeader(first);
  if (!header.has_value()) {
    return Invalid(PlaceOf(path, /*binary=*/false, 1),
                   StrCat("saw ", Quoted(first), ", expected the number of ",
                          "rows and their size (word2vec's binary format, as "
                          "the name ends in .bin)"));
  }
  table.vector_size = header->vector_size;
  MEANFIELD_RETURN_IF_ERROR(CheckSize(table.vector_size, path));
  const size_t size = static_cast<size_t>(table.vector_size) * sizeof(float);
  for (int64_t i = 1; i <= header->rows; ++i) {
    while (rest.starts_with('\n')) rest.remove_prefix(1);
    const size_t blank = rest.substr(0, kLongestWord + 1).find(' ');
    if (blank == std::string_view::npos || rest.size() - blank - 1 < size) {
      return Invalid(PlaceOf(path, /*binary=*/true, static_cast<uint64_t>(i)),
                     StrCat("saw ", rest.size(),
                            " bytes to the end of the file without a "
                            "word, a blank and ",
                            table.vector_size, " floats; the first line says ",
                            header->rows, " rows"));
    }
    table.rows.push_back({.word = rest.substr(0, blank),
                          .values = rest.substr(blank + 1, size),
                          .number = static_cast<uint64_t>(i)});
    rest.remove_prefix(blank + 1 + size);
  }
  if (rest.find_first_not_of('\n') != std::string_view::npos) {
    return Invalid(path,
                   StrCat("saw ", rest.size(), " bytes after the last of ",
                          header->rows, " rows"));
  }
  MEANFIELD_RETURN_IF_ERROR(
      CheckRows(static_cast<int64_t>(table.rows.size()), std::nullopt, path));
  return table;
}

absl::Status ReadValues(const WordVectorRows& table, const Row& row,
                        std::span<float> values) {
  return table.binary ? ReadBinaryValues(row.values, values)
                      : ReadTextValues(row.values, values);
}

}  // namespace meanfield::corpus
