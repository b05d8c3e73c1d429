#include "coordinator/cli/job_writer.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "common/base/strings.h"
#include "coordinator/corpus/encoding.h"
#include "coordinator/report/wrap.h"

namespace meanfield::cli {

void JobWriter::Comment(std::string_view text) {
  std::string plain(text);
  std::replace_if(
      plain.begin(), plain.end(),
      [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); },
      ' ');
  text_ += report::Wrap(plain, indent_ + "# ");
}

void JobWriter::Line(std::string_view line) {
  StrAppend(&text_, indent_, line, "\n");
}

void JobWriter::Open(std::string_view name) {
  StrAppend(&text_, indent_, name, " {\n");
  indent_ += "  ";
}

void JobWriter::Close() {
  indent_.resize(indent_.size() - 2);
  Line("}");
}

void JobWriter::String(std::string_view name, std::string_view value) {
  const bool utf8 = corpus::FindInvalid(value, corpus::Encoding::kUtf8) ==
                    std::string_view::npos;
  Line(StrCat(name, ": \"",
              utf8 ? absl::Utf8SafeCEscape(AbslView(value))
                   : absl::CEscape(AbslView(value)),
              "\""));
}

}  // namespace meanfield::cli
