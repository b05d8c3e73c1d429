#ifndef MEANFIELD_WORKER_TORCH_ROW_BUFFER_H_
#define MEANFIELD_WORKER_TORCH_ROW_BUFFER_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace meanfield {

// Uninitialised floats on huge pages where the system gives them: rows read in
// random order then miss the address cache less often. Throws std::bad_alloc,
// as the containers do.
class RowBuffer {
 public:
  explicit RowBuffer(size_t size) : size_(size) {
    constexpr size_t kHugePage = size_t{1} << 21;
    const size_t bytes =
        (size * sizeof(float) + kHugePage - 1) / kHugePage * kHugePage;
    void* memory = std::aligned_alloc(kHugePage, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, bytes, MADV_HUGEPAGE);  // only advice
    data_.reset(static_cast<float*>(memory));
  }

  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::span<const float> span() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  size_t size_;
  std::unique_ptr<float[], Free> data_;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_ROW_BUFFER_H_
