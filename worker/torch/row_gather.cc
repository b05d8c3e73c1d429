#include "worker/torch/row_gather.h"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include "worker/torch/bag_kernels.h"

namespace meanfield {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Gather : torch::autograd::Function<Gather> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& table,
                            const at::Tensor& ids) {
    context->saved_data["ids"] = ids;
    context->saved_data["rows"] = table.size(0);
    return table.index_select(0, ids);
  }

  static variable_list backward(AutogradContext* context,
                                variable_list gradients) {
    at::Tensor from = gradients[0];
    if (from.stride(1) != 1) from = from.contiguous();
    const at::Tensor ids = context->saved_data["ids"].toTensor();
    const int64_t size = from.size(1);
    const at::Tensor sums =
        at::zeros({context->saved_data["rows"].toInt(), size}, from.options());
    const int64_t* id = ids.const_data_ptr<int64_t>();
    for (int64_t i = 0; i < ids.numel(); ++i) {
      AddScaled(1, from.const_data_ptr<float>() + i * from.stride(0),
                static_cast<size_t>(size),
                sums.mutable_data_ptr<float>() + id[i] * size);
    }
    return {sums, at::Tensor()};
  }
};

}  // namespace

at::Tensor GatherRows(const at::Tensor& table,
                      const std::vector<int64_t>& ids) {
  const at::Tensor places = at::tensor(ids, at::kLong);
  if (!table.is_cpu()) return at::embedding(table, places.to(table.device()));
  return Gather::apply(table, places);
}

}  // namespace meanfield
