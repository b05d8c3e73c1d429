#include "worker/torch/dropout.h"

#include <ATen/ops/dropout.h>
#include <ATen/ops/empty.h>

namespace meanfield {

at::Tensor Dropout(const at::Tensor& rows, double probability) {
  if (probability == 0) return rows;
  return at::dropout(rows, probability, /*train=*/true);
}

at::Tensor WordDropout(const at::Tensor& rows, double probability) {
  if (probability == 0) return rows;
  const at::Tensor mask = at::empty({rows.size(0), 1}, rows.options());
  return rows.mul(mask.bernoulli_(1 - probability));
}

at::Tensor LockedDropout(const at::Tensor& rows, double probability,
                         int64_t num_sequences,
                         const at::Tensor& sequence_of_row) {
  if (probability == 0) return rows;
  const double keep = 1 - probability;
  const at::Tensor mask = at::empty({num_sequences, rows.size(1)},
                                    rows.options().requires_grad(false))
                              .bernoulli_(keep)
                              .div_(keep);
  return rows.mul(mask.index_select(0, sequence_of_row));
}

}  // namespace meanfield
