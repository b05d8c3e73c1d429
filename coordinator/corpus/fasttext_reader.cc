#include "coordinator/corpus/fasttext_reader.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

constexpr std::string_view kPrefix = "__label__";

}  // namespace

void FastTextReader::Read(const TextFile& file, SampleSink& sink) const {
  std::vector<std::string_view> tokens;
  for (LineCursor cursor(file); cursor.Next();) {
    const std::string_view line = cursor.line();
    if (IsBlank(line)) continue;
    if (!line.starts_with(kPrefix)) {
      sink.Fault(cursor.number(), StrCat("saw ", Quoted(line),
                                         ", expected a line that starts "
                                         "with __label__NAME"));
      continue;
    }
    const size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view label =
        line.substr(kPrefix.size(), end - kPrefix.size());
    if (label.empty()) {
      sink.Fault(cursor.number(), "saw __label__ without a name after it");
      continue;
    }
    SplitAtWhiteSpace(line.substr(end), tokens);
    if (!tokens.empty() && tokens.front().starts_with(kPrefix)) {
      sink.Fault(cursor.number(),
                 StrCat("saw a second label, ", Quoted(tokens.front()),
                        ", expected one label a text"));
      continue;
    }
    sink.Add({.tokens = tokens, .label = label, .line = cursor.number()});
  }
}

}  // namespace meanfield::corpus
