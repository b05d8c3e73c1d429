#ifndef MEANFIELD_WORKER_TORCH_PACKED_GRU_H_
#define MEANFIELD_WORKER_TORCH_PACKED_GRU_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace meanfield {

// One layer of at::gru over packed rows of floats on the CPU, as
// PackedLstmLayer (see there) is one of at::lstm.
at::Tensor PackedGruLayer(const at::Tensor& rows,
                          const std::vector<int64_t>& batch_sizes,
                          at::TensorList weights);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_PACKED_GRU_H_
