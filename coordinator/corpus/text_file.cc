#include "coordinator/corpus/text_file.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/str_format.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/blob/hash.h"

namespace meanfield::corpus {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Text of few bytes beyond ASCII in UTF-16: every second byte is NUL.
bool IsUtf16(std::string_view bytes) {
  constexpr size_t kLooked = 4096;
  constexpr size_t kLeast = 8;
  bytes = bytes.substr(0, kLooked);
  size_t nul[2] = {0, 0};
  for (size_t i = 0; i < bytes.size(); ++i) nul[i % 2] += bytes[i] == 0 ? 1 : 0;
  return bytes.size() >= kLeast &&
         std::max(nul[0], nul[1]) * 10 >= bytes.size() * 4 &&
         std::min(nul[0], nul[1]) * 10 <= bytes.size();
}

absl::Status CheckSignature(std::string_view bytes, std::string_view name) {
  struct Signature {
    std::string_view bytes;
    std::string_view problem;
  };
  static constexpr Signature kRefused[] = {
      {"\x1F\x8B", "is gzip-compressed; unpack it first (gunzip)"},
      {"BZh91AY&SY", "is bzip2-compressed; unpack it first (bunzip2)"},
      {"\xFD\x37zXZ", "is xz-compressed; unpack it first (unxz)"},
      {"\x28\xB5\x2F\xFD", "is zstd-compressed; unpack it first (unzstd)"},
      {"PK\x03\x04", "is a zip archive; unpack it first (unzip)"},
      {"\xFF\xFE", "is UTF-16; convert it first (iconv -f utf-16 -t utf-8)"},
      {"\xFE\xFF", "is UTF-16; convert it first (iconv -f utf-16 -t utf-8)"},
  };
  for (const Signature& refused : kRefused) {
    if (bytes.starts_with(refused.bytes)) {
      return absl::InvalidArgumentError(
          StrCat("corpus file ", name, " ", refused.problem));
    }
  }
  if (IsUtf16(bytes)) {
    return absl::InvalidArgumentError(StrCat(
        "corpus file ", name, " looks like UTF-16 (every second byte is ",
        "NUL); convert it first (iconv -f utf-16le -t utf-8)"));
  }
  return absl::OkStatus();
}

std::string DescribeInvalid(std::string_view line, size_t at, size_t offset,
                            Encoding encoding) {
  return absl::StrFormat(
      "saw byte 0x%02X (byte %d of the line, offset %d of the file), which is "
      "not %s; expected text in the encoding that the job names (set "
      "corpus.encoding to utf-8, iso-8859-1 or windows-1252)",
      static_cast<unsigned char>(line[at]), at + 1, offset,
      EncodingName(encoding));
}

// One fault for each line that has any, all of their numbers to `lines`.
// `begin`: offset of `text` in the file.
FaultList FindFaults(std::string_view text, size_t begin, char line_end,
                     Encoding encoding, std::vector<uint64_t>& lines) {
  FaultList faults;
  uint64_t line_number = 1;
  size_t line_begin = 0;
  for (size_t from = 0; from < text.size();) {
    const size_t found = FindInvalid(text.substr(from), encoding);
    if (found == std::string_view::npos) break;
    const size_t at = from + found;
    while (true) {
      const size_t end = text.find(line_end, line_begin);
      if (end == std::string_view::npos || end >= at) break;
      line_begin = end + 1;
      ++line_number;
    }
    faults.Add(line_number,
               DescribeInvalid(text.substr(line_begin), at - line_begin,
                               begin + at, encoding));
    lines.push_back(line_number);
    const size_t end = text.find(line_end, at);
    if (end == std::string_view::npos) break;
    from = end + 1;
  }
  return faults;
}

}  // namespace

TextFile::TextFile(std::string name, std::optional<MappedFile> mapping,
                   std::string bytes)
    : name_(std::move(name)), mapping_(std::move(mapping)) {
  if (!mapping_.has_value()) {
    owned_ = std::make_unique<std::string>(std::move(bytes));
  }
}

absl::StatusOr<TextFile> TextFile::Open(const std::string& path,
                                        Encoding encoding) {
  MEANFIELD_ASSIGN_OR_RETURN(MappedFile mapping, MappedFile::Open(path));
  TextFile file(path, std::move(mapping), "");
  MEANFIELD_RETURN_IF_ERROR(file.Decode(encoding));
  return file;
}

absl::StatusOr<TextFile> TextFile::FromBytes(std::string bytes,
                                             std::string name,
                                             Encoding encoding) {
  TextFile file(std::move(name), std::nullopt, std::move(bytes));
  MEANFIELD_RETURN_IF_ERROR(file.Decode(encoding));
  return file;
}

std::string_view TextFile::text() const {
  const std::string_view bytes =
      owned_ != nullptr ? std::string_view(*owned_) : mapping_->bytes();
  return bytes.substr(begin_);
}

absl::Status TextFile::Decode(Encoding encoding) {
  MEANFIELD_RETURN_IF_ERROR(CheckSignature(text(), name_));
  hash_ = BlobIdOf(std::as_bytes(std::span(text())));
  if (text().starts_with(kByteOrderMark)) {
    if (encoding != Encoding::kUtf8) {
      return absl::InvalidArgumentError(StrCat(
          "corpus file ", name_, " starts with the byte order mark of UTF-8, ",
          "but corpus.encoding is ", EncodingName(encoding)));
    }
    begin_ = kByteOrderMark.size();
  }
  const std::string_view raw = text();
  if (raw.find('\n') == std::string_view::npos &&
      raw.find('\r') != std::string_view::npos) {
    line_end_ = '\r';
  }
  faults_ = FindFaults(raw, begin_, line_end_, encoding, faulty_lines_);
  if (encoding == Encoding::kUtf8 && faults_.empty()) return absl::OkStatus();
  owned_ = std::make_unique<std::string>(ToUtf8(raw, encoding));
  mapping_.reset();
  begin_ = 0;
  return absl::OkStatus();
}

bool TextFile::IsFaulty(uint64_t first, uint64_t last) const {
  const auto at =
      std::lower_bound(faulty_lines_.begin(), faulty_lines_.end(), first);
  return at != faulty_lines_.end() && *at <= last;
}

bool LineCursor::Next() {
  if (rest_.empty()) return false;
  ++number_;
  const size_t end = rest_.find(line_end_);
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line_end_ == '\n' && !line_.empty() && line_.back() == '\r') {
    line_.remove_suffix(1);
  }
  return true;
}

}  // namespace meanfield::corpus
