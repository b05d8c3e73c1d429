#ifndef MEANFIELD_COORDINATOR_CORPUS_MAPPED_FILE_H_
#define MEANFIELD_COORDINATOR_CORPUS_MAPPED_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace meanfield::corpus {

// The bytes of a regular file, mapped read-only; any thread. A file that is cut
// short by somebody else while it is mapped ends the process, so keep the
// mapping no longer than the reading takes.
class MappedFile {
 public:
  static absl::StatusOr<MappedFile> Open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view bytes() const { return {data_, size_}; }

 private:
  MappedFile(const char* data, size_t size) : data_(data), size_(size) {}
  const char* data_ = nullptr;  // null: empty file
  size_t size_ = 0;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_MAPPED_FILE_H_
