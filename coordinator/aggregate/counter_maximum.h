#ifndef MEANFIELD_COORDINATOR_AGGREGATE_COUNTER_MAXIMUM_H_
#define MEANFIELD_COORDINATOR_AGGREGATE_COUNTER_MAXIMUM_H_

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "common/tensor/dtype.h"

namespace meanfield::aggregate {

// The element-wise maximum of integer tensors of one shape. A maximum cannot be
// taken back, so the tensors themselves are kept, each distinct one once:
// counters are small, and shards that did the same number of steps agree.
class CounterMaximum {
 public:
  // `dtype` is an integer type or BOOL.
  explicit CounterMaximum(DType dtype) : dtype_(dtype) {}

  void Add(std::span<const std::byte> values);
  bool Contains(std::span<const std::byte> values) const;
  // Contains(values).
  void Remove(std::span<const std::byte> values);

  // At least one tensor was added. `maximum` has their size.
  void Write(std::span<std::byte> maximum) const;

 private:
  DType dtype_;
  std::map<std::string, int, std::less<>> counts_;  // by the tensor's bytes
};

}  // namespace meanfield::aggregate

#endif  // MEANFIELD_COORDINATOR_AGGREGATE_COUNTER_MAXIMUM_H_
