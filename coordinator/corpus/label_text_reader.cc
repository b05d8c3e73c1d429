#include "coordinator/corpus/label_text_reader.h"

#include <string_view>
#include <vector>

#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {

void LabelTextReader::Read(const TextFile& file, SampleSink& sink) const {
  std::vector<std::string_view> tokens;
  for (LineCursor cursor(file); cursor.Next();) {
    const std::string_view line = cursor.line();
    if (IsBlank(line)) continue;
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos) {
      sink.Fault(cursor.number(),
                 StrCat("saw no TAB in ", Quoted(line),
                        ", expected a label, a TAB and the text"));
      continue;
    }
    const std::string_view label = TrimBlanks(line.substr(0, tab));
    if (label.empty()) {
      sink.Fault(cursor.number(), "saw no label before the TAB");
      continue;
    }
    SplitAtWhiteSpace(line.substr(tab + 1), tokens);
    sink.Add({.tokens = tokens, .label = label, .line = cursor.number()});
  }
}

}  // namespace meanfield::corpus
