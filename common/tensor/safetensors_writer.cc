#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/tensor/safetensors.h"
#include "common/tensor/safetensors_header.h"

namespace meanfield {

// The file while it is written: removed again unless it is finished.
struct SafetensorsWriter::Mapping {
  ~Mapping() {
    if (bytes.data() != nullptr) munmap(bytes.data(), bytes.size());
    if (fd >= 0) close(fd);
    if (!finished) unlink(path.c_str());
  }

  std::string path;
  int fd = -1;
  bool finished = false;
  std::span<std::byte> bytes;
  std::map<std::string, std::span<std::byte>, std::less<>> tensors;
};

namespace {

absl::Status WriteZeros(int fd, size_t size, const std::string& path) {
  const std::vector<char> zeros(std::min(size, size_t{1} << 20));
  for (size_t done = 0; done < size;) {
    const size_t part = std::min(zeros.size(), size - done);
    const ssize_t written =
        pwrite(fd, zeros.data(), part, static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoStatus(errno, "write", path);
    done += static_cast<size_t>(written);
  }
  return absl::OkStatus();
}

// Space must be there before the file is mapped: a store to a page that the
// disk has no room for is a SIGBUS.
absl::Status Allocate(int fd, size_t size, const std::string& path) {
  int error;
  do {
    error = posix_fallocate(fd, 0, static_cast<off_t>(size));
  } while (error == EINTR);
  if (error == 0) return absl::OkStatus();
  if (error == EOPNOTSUPP || error == EINVAL) {
    return WriteZeros(fd, size, path);
  }
  return ErrnoStatus(error, StrCat("allocate ", size, " bytes for"), path);
}

}  // namespace

SafetensorsWriter::SafetensorsWriter() = default;
SafetensorsWriter::SafetensorsWriter(SafetensorsWriter&&) noexcept = default;
SafetensorsWriter& SafetensorsWriter::operator=(SafetensorsWriter&&) noexcept =
    default;
SafetensorsWriter::~SafetensorsWriter() = default;

absl::StatusOr<SafetensorsWriter> SafetensorsWriter::Create(
    const std::string& path, std::vector<TensorSpec> specs) {
  absl::StatusOr<std::vector<SafetensorsEntry>> entries =
      LayOutSafetensors(std::move(specs));
  if (!entries.ok()) {
    return Annotate(entries.status(), StrCat("cannot write ", path));
  }
  const std::string header = FormatSafetensorsHeader(*entries);
  const size_t size =
      header.size() + (entries->empty() ? 0 : entries->back().end);

  // A new file: somebody may have mapped the old one.
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    return ErrnoStatus(errno, "replace", path);
  }
  const int fd =
      open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return ErrnoStatus(errno, "create", path);
  SafetensorsWriter writer;
  writer.mapping_ = std::make_unique<Mapping>();
  Mapping& mapping = *writer.mapping_;
  mapping.path = path;
  mapping.fd = fd;
  MEANFIELD_RETURN_IF_ERROR(Allocate(fd, size, path));
  void* address =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) return ErrnoStatus(errno, "map", path);
  mapping.bytes = {static_cast<std::byte*>(address), size};
  std::memcpy(address, header.data(), header.size());
  const std::span<std::byte> data = mapping.bytes.subspan(header.size());
  for (SafetensorsEntry& entry : *entries) {
    mapping.tensors.emplace(std::move(entry.spec.name),
                            data.subspan(entry.begin, entry.end - entry.begin));
  }
  return writer;
}

std::span<std::byte> SafetensorsWriter::Mutable(std::string_view name) {
  MEANFIELD_CHECK(mapping_ != nullptr, "after Finish");
  const auto found = mapping_->tensors.find(name);
  MEANFIELD_CHECK(found != mapping_->tensors.end(), name);
  return found->second;
}

absl::Status SafetensorsWriter::Finish() {
  MEANFIELD_CHECK(mapping_ != nullptr, "after Finish");
  const std::unique_ptr<Mapping> mapping = std::move(mapping_);
  munmap(mapping->bytes.data(), mapping->bytes.size());
  mapping->bytes = {};
  // Some file systems report a failed write only here.
  if (close(std::exchange(mapping->fd, -1)) != 0) {
    return ErrnoStatus(errno, "close", mapping->path);
  }
  mapping->finished = true;
  return absl::OkStatus();
}

absl::Status WriteSafetensors(const std::string& path,
                              const std::vector<TensorView>& tensors) {
  std::vector<TensorSpec> specs;
  for (const TensorView& tensor : tensors) specs.push_back(tensor.spec);
  MEANFIELD_ASSIGN_OR_RETURN(SafetensorsWriter writer,
                             SafetensorsWriter::Create(path, std::move(specs)));
  for (const TensorView& tensor : tensors) {
    const std::span<std::byte> target = writer.Mutable(tensor.spec.name);
    MEANFIELD_CHECK(target.size() == tensor.bytes.size(),
                    DebugString(tensor.spec));
    if (!target.empty()) {
      std::memcpy(target.data(), tensor.bytes.data(), target.size());
    }
  }
  return writer.Finish();
}

}  // namespace meanfield
