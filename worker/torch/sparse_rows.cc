#include "worker/torch/sparse_rows.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/sort.h>
#include <ATen/ops/sparse_coo_tensor.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace meanfield {
namespace {

void Add(const float* from, float* to, int64_t size) {
  for (int64_t i = 0; i < size; ++i) to[i] += from[i];
}

}  // namespace

at::Tensor SumRepeatedRows(const at::Tensor& gradient) {
  const auto [ids, places] = at::sort(gradient._indices()[0], /*stable=*/true,
                                      /*dim=*/0, /*descending=*/false);
  const at::Tensor values = gradient._values().contiguous();
  const int64_t* id = ids.const_data_ptr<int64_t>();
  const int64_t* place = places.const_data_ptr<int64_t>();
  const int64_t size = values.size(1);
  at::Tensor rows = at::empty_like(ids);
  at::Tensor sums = at::empty_like(values);
  int64_t* row = rows.mutable_data_ptr<int64_t>();
  float* sum = sums.mutable_data_ptr<float>();
  int64_t count = 0;
  for (int64_t i = 0; i < ids.numel(); ++i) {
    const float* value = values.const_data_ptr<float>() + place[i] * size;
    if (i == 0 || id[i] != id[i - 1]) {
      row[count] = id[i];
      std::copy(value, value + size, sum + count++ * size);
    } else {
      Add(value, sum + (count - 1) * size, size);
    }
  }
  return at::sparse_coo_tensor(rows.slice(0, 0, count).unsqueeze(0),
                               sums.slice(0, 0, count), gradient.sizes(),
                               gradient.options(), /*is_coalesced=*/true);
}

}  // namespace meanfield
