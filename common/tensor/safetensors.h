#ifndef MEANFIELD_COMMON_TENSOR_SAFETENSORS_H_
#define MEANFIELD_COMMON_TENSOR_SAFETENSORS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/tensor/tensor_spec.h"

namespace meanfield {

// A named tensor inside a mapped file; valid as long as its file.
struct TensorView {
  TensorSpec spec;  // role is not stored in files: kTrainable
  std::span<const std::byte> bytes;

  // Elements; the dtype must be T's and the data aligned (both hold for files
  // of ours; Open checks alignment).
  template <typename T>
  std::span<const T> As() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

// A safetensors file (Hugging Face's format: 8-byte little-endian header
// length, JSON header, raw little-endian data), mapped read-only. Every fault
// of the header is an INVALID_ARGUMENT that names file and tensor: lengths and
// offsets outside the file, gaps, overlaps, duplicate names, unknown dtypes,
// shapes that overflow, headers above 100 MB. Immutable after Open; any thread.
class SafetensorsFile {
 public:
  static absl::StatusOr<SafetensorsFile> Open(const std::string& path);
  // From bytes that the caller keeps alive (tests, fuzzing).
  static absl::StatusOr<SafetensorsFile> Parse(std::span<const std::byte> bytes,
                                               std::string_view name);

  SafetensorsFile(SafetensorsFile&&) noexcept;
  SafetensorsFile& operator=(SafetensorsFile&&) noexcept;
  ~SafetensorsFile();

  // In file order.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  // Null when absent.
  const TensorView* Find(std::string_view name) const;
  // The tensor with this dtype and rank, or an error that says what is there.
  absl::StatusOr<TensorView> Get(std::string_view name, DType dtype,
                                 size_t rank) const;
  size_t file_size() const { return bytes_.size(); }

 private:
  SafetensorsFile();
  struct Mapping;
  std::unique_ptr<Mapping> mapping_;  // null after Parse
  std::string name_;
  std::span<const std::byte> bytes_;
  std::vector<TensorView> tensors_;
  std::vector<size_t> by_name_;  // indexes of tensors_
};

// Writes a canonical file: tensors by dtype size descending, then name; the
// header padded with blanks so that data starts at a multiple of 64; metadata
// `format` only. Equal tensors give equal bytes. The file has its final size
// from the start and is mapped, so that tensors can be produced in place.
class SafetensorsWriter {
 public:
  // Creates or replaces `path`. RESOURCE_EXHAUSTED when the disk is full (space
  // is allocated here, so that writing to the mapping cannot fail).
  static absl::StatusOr<SafetensorsWriter> Create(
      const std::string& path, std::vector<TensorSpec> specs);

  SafetensorsWriter(SafetensorsWriter&&) noexcept;
  SafetensorsWriter& operator=(SafetensorsWriter&&) noexcept;
  ~SafetensorsWriter();

  // Where to put the bytes of a tensor (zeros so far).
  std::span<std::byte> Mutable(std::string_view name);
  template <typename T>
  std::span<T> MutableAs(std::string_view name) {
    const std::span<std::byte> bytes = Mutable(name);
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  // Unmaps and closes; nothing may be called after it. Not synced to disk: that
  // is the blob store's business. A file that is not finished is removed.
  absl::Status Finish();

 private:
  SafetensorsWriter();
  struct Mapping;
  std::unique_ptr<Mapping> mapping_;
};

// All at once; `bytes` must have the size that the spec says.
absl::Status WriteSafetensors(const std::string& path,
                              const std::vector<TensorView>& tensors);

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_TENSOR_SAFETENSORS_H_
