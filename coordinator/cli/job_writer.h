#ifndef MEANFIELD_COORDINATOR_CLI_JOB_WRITER_H_
#define MEANFIELD_COORDINATOR_CLI_JOB_WRITER_H_

#include <string>
#include <string_view>

namespace meanfield::cli {

// Writes a job's text, two blanks a level, lines of at most 80 columns where
// words allow it.
class JobWriter {
 public:
  // Any text: it cannot leave the comment.
  void Comment(std::string_view text);
  void Line(std::string_view line);
  void Open(std::string_view name);  // "task" -> "task {"
  void Close();
  void String(std::string_view name, std::string_view value);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string indent_;
};

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_JOB_WRITER_H_
