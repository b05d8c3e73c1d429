#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/tensor/safetensors.h"
#include "common/tensor/safetensors_header.h"

namespace meanfield {

struct SafetensorsFile::Mapping {
  explicit Mapping(std::span<const std::byte> bytes) : bytes(bytes) {}
  ~Mapping() { munmap(const_cast<std::byte*>(bytes.data()), bytes.size()); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::span<const std::byte> bytes;
};

namespace {

// A file descriptor that is closed at the end of its scope.
class ScopedFd {
 public:
  explicit ScopedFd(int fd) : fd_(fd) {}
  ~ScopedFd() {
    if (fd_ >= 0) close(fd_);
  }
  ScopedFd(const ScopedFd&) = delete;
  ScopedFd& operator=(const ScopedFd&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

absl::StatusOr<std::span<const std::byte>> MapFile(const std::string& path) {
  // Not blocking: a pipe without a writer is an error, not a wait.
  const ScopedFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return ErrnoStatus(errno, "open", path);
  struct stat facts;
  if (fstat(fd.get(), &facts) != 0) return ErrnoStatus(errno, "look at", path);
  if (!S_ISREG(facts.st_mode)) {
    return absl::InvalidArgumentError(
        StrCat(path, " is not a regular file: expected a safetensors file"));
  }
  const size_t size = static_cast<size_t>(facts.st_size);
  if (size == 0) {
    return absl::InvalidArgumentError(
        StrCat(path, " is empty: expected a safetensors file"));
  }
  void* address = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (address == MAP_FAILED) return ErrnoStatus(errno, "map", path);
  return std::span(static_cast<const std::byte*>(address), size);
}

// The JSON text and the bytes after it.
absl::StatusOr<std::pair<std::string_view, std::span<const std::byte>>> Split(
    std::span<const std::byte> bytes) {
  if (bytes.size() < kSafetensorsLengthBytes) {
    return absl::InvalidArgumentError(
        StrCat("only ", bytes.size(), " bytes: not a safetensors file"));
  }
  uint64_t length = 0;
  for (size_t i = 0; i < kSafetensorsLengthBytes; ++i) {
    length |= uint64_t{std::to_integer<uint8_t>(bytes[i])} << (8 * i);
  }
  bytes = bytes.subspan(kSafetensorsLengthBytes);
  if (length > kMaxSafetensorsHeaderBytes) {
    return absl::InvalidArgumentError(
        StrCat("a header of ", length, " bytes, the limit is ",
               kMaxSafetensorsHeaderBytes, ": not a safetensors file?"));
  }
  if (length > bytes.size()) {
    return absl::InvalidArgumentError(StrCat("a header of ", length,
                                             " bytes, but only ", bytes.size(),
                                             " follow: cut off?"));
  }
  return std::pair(
      std::string_view(reinterpret_cast<const char*>(bytes.data()), length),
      bytes.subspan(length));
}

absl::StatusOr<std::vector<TensorView>> ParseViews(
    std::span<const std::byte> bytes) {
  MEANFIELD_ASSIGN_OR_RETURN(const auto parts, Split(bytes));
  const auto& [json, data] = parts;
  MEANFIELD_ASSIGN_OR_RETURN(std::vector<SafetensorsEntry> entries,
                             ParseSafetensorsHeader(json, data.size()));
  std::vector<TensorView> tensors;
  tensors.reserve(entries.size());
  for (SafetensorsEntry& entry : entries) {
    const auto view = data.subspan(entry.begin, entry.end - entry.begin);
    const uintptr_t address = reinterpret_cast<uintptr_t>(view.data());
    if (!view.empty() && address % SizeOf(entry.spec.dtype) != 0) {
      return absl::InvalidArgumentError(StrCat(
          "tensor ", DebugString(entry.spec),
          ": its data are not aligned to their elements: save the file again "
          "with a current safetensors library"));
    }
    tensors.push_back({std::move(entry.spec), view});
  }
  return tensors;
}

}  // namespace

SafetensorsFile::SafetensorsFile() = default;
SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;
SafetensorsFile& SafetensorsFile::operator=(SafetensorsFile&&) noexcept =
    default;
SafetensorsFile::~SafetensorsFile() = default;

absl::StatusOr<SafetensorsFile> SafetensorsFile::Open(const std::string& path) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::span<const std::byte> bytes,
                             MapFile(path));
  auto mapping = std::make_unique<Mapping>(bytes);
  MEANFIELD_ASSIGN_OR_RETURN(SafetensorsFile file, Parse(bytes, path));
  file.mapping_ = std::move(mapping);
  return file;
}

absl::StatusOr<SafetensorsFile> SafetensorsFile::Parse(
    std::span<const std::byte> bytes, std::string_view name) {
  absl::StatusOr<std::vector<TensorView>> tensors = ParseViews(bytes);
  if (!tensors.ok()) return Annotate(tensors.status(), name);
  SafetensorsFile file;
  file.bytes_ = bytes;
  file.name_ = name;
  file.tensors_ = *std::move(tensors);
  file.by_name_.resize(file.tensors_.size());
  for (size_t i = 0; i < file.by_name_.size(); ++i) file.by_name_[i] = i;
  std::sort(file.by_name_.begin(), file.by_name_.end(),
            [&](size_t a, size_t b) {
              return file.tensors_[a].spec.name < file.tensors_[b].spec.name;
            });
  return file;
}

const TensorView* SafetensorsFile::Find(std::string_view name) const {
  const auto found = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [&](size_t i, std::string_view n) { return tensors_[i].spec.name < n; });
  if (found == by_name_.end() || tensors_[*found].spec.name != name) {
    return nullptr;
  }
  return &tensors_[*found];
}

absl::StatusOr<TensorView> SafetensorsFile::Get(std::string_view name,
                                                DType dtype,
                                                size_t rank) const {
  const TensorView* view = Find(name);
  if (view == nullptr) {
    return absl::InvalidArgumentError(StrCat(
        name_, ": no tensor ", name, " among the ", tensors_.size(), " there"));
  }
  if (view->spec.dtype != dtype || view->spec.shape.size() != rank) {
    return absl::InvalidArgumentError(
        StrCat(name_, ": tensor ", DebugString(view->spec), ": expected ",
               DTypeName(dtype), " with ", rank, " dimensions"));
  }
  return *view;
}

}  // namespace meanfield
