#ifndef MEANFIELD_COORDINATOR_CORPUS_ENCODING_H_
#define MEANFIELD_COORDINATOR_CORPUS_ENCODING_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace meanfield::corpus {

enum class Encoding { kUtf8, kLatin1, kWindows1252 };

// "utf-8", "iso-8859-1" or "windows-1252", in any case.
absl::StatusOr<Encoding> ParseEncoding(std::string_view name);
std::string_view EncodingName(Encoding encoding);

// Where the first byte lies that means nothing in this encoding: what is not
// well-formed UTF-8 (overlong forms and surrogates are not), the five bytes
// that Windows-1252 leaves unassigned. npos where all is well.
size_t FindInvalid(std::string_view bytes, Encoding encoding);

// Unassigned bytes become U+FFFD, and so does each maximal ill-formed part of
// UTF-8 (as Unicode recommends: a cut sequence is one, a byte that no sequence
// has is one).
std::string ToUtf8(std::string_view bytes, Encoding encoding);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_ENCODING_H_
