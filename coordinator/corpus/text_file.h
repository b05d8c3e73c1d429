#ifndef MEANFIELD_COORDINATOR_CORPUS_TEXT_FILE_H_
#define MEANFIELD_COORDINATOR_CORPUS_TEXT_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/corpus/encoding.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/mapped_file.h"

namespace meanfield::corpus {

// A corpus file as UTF-8 text, without the byte order mark at its start. Clean
// UTF-8 is mapped, all else is converted in memory. Compressed files and
// UTF-16 are refused by their first bytes, whatever their name.
class TextFile {
 public:
  static absl::StatusOr<TextFile> Open(const std::string& path,
                                       Encoding encoding);
  // `name` is for messages.
  static absl::StatusOr<TextFile> FromBytes(std::string bytes, std::string name,
                                            Encoding encoding);

  // Views live as long as the file and survive its move.
  std::string_view text() const;
  const std::string& name() const { return name_; }
  // Lines with bytes that mean nothing in the encoding; their offsets too. In
  // the text U+FFFD stands for each of their ill-formed parts.
  const FaultList& faults() const { return faults_; }
  // Whether any line from `first` to `last` is one of them.
  bool IsFaulty(uint64_t first, uint64_t last) const;
  // '\r' in a file that holds no '\n' at all (old Mac line ends).
  char line_end() const { return line_end_; }
  // XXH3-128 of the bytes as they are on disk.
  const std::string& hash() const { return hash_; }

 private:
  TextFile(std::string name, std::optional<MappedFile> mapping,
           std::string bytes);
  absl::Status Decode(Encoding encoding);

  std::string name_;
  std::optional<MappedFile> mapping_;
  // Not std::string members that move (short ones live in the object itself).
  std::unique_ptr<std::string> owned_;
  size_t begin_ = 0;  // after the byte order mark
  char line_end_ = '\n';
  std::string hash_;
  FaultList faults_;
  std::vector<uint64_t> faulty_lines_;  // rising
};

// The lines of a file, one after the other, without their ends (LF or CRLF).
// The last line needs no end.
class LineCursor {
 public:
  explicit LineCursor(const TextFile& file)
      : rest_(file.text()), line_end_(file.line_end()) {}

  // False at the end of the file.
  bool Next();
  std::string_view line() const { return line_; }
  uint64_t number() const { return number_; }  // from 1

 private:
  std::string_view rest_;
  char line_end_;
  std::string_view line_;
  uint64_t number_ = 0;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_TEXT_FILE_H_
