#ifndef MEANFIELD_WORKER_TORCH_ROW_GATHER_H_
#define MEANFIELD_WORKER_TORCH_ROW_GATHER_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace meanfield {

// table[ids[i]] of each i: at::embedding with a dense gradient. On the CPU its
// backward pass is a loop of our own that adds up the rows in the same order,
// to the same bits: at::embedding's makes a tensor of every row.
at::Tensor GatherRows(const at::Tensor& table, const std::vector<int64_t>& ids);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_ROW_GATHER_H_
