#include "coordinator/corpus/line_sample.h"

#include <cstddef>
#include <cstdint>

#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {

LineSample SampleLines(const TextFile& file) {
  constexpr size_t kLines = 20000;
  constexpr size_t kBytes = size_t{8} << 20;
  LineSample sample{.line_end = file.line_end()};
  const char* const begin = file.text().data();
  for (LineCursor cursor(file); cursor.Next();) {
    const char* const end = cursor.line().data() + cursor.line().size();
    const auto size = static_cast<size_t>(end - begin);
    if (sample.lines.size() == kLines || size > kBytes) break;
    sample.lines.push_back(cursor.line());
    sample.text = file.text().substr(0, size);
  }
  return sample;
}

bool LineSample::MostStartWith(std::string_view prefix) const {
  uint64_t with = 0;
  uint64_t all = 0;
  for (const std::string_view line : lines) {
    if (IsBlank(line)) continue;
    ++all;
    with += line.starts_with(prefix) ? 1 : 0;
  }
  return with > 0 && with * 2 >= all;
}

}  // namespace meanfield::corpus
