#ifndef MEANFIELD_WORKER_TORCH_BAG_KERNELS_H_
#define MEANFIELD_WORKER_TORCH_BAG_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace meanfield {

// The inner loops of the bag classifier. Every sum has a fixed order that does
// not depend on the vector width, and nothing is contracted to a fused multiply
// and add, so all of them give the same bits on every CPU.

// out += the rows `ids` of `table`, in order. Rows have out.size() elements.
void AddRows(const float* table, std::span<const int32_t> ids,
             std::span<float> out);

// Each row of `ids` in `table` += `delta`, as often as it is named.
void AddToRows(std::span<const float> delta, std::span<const int32_t> ids,
               float* table);

// y += a · x
void AddScaled(float a, const float* x, size_t size, float* y);

// Σ x·y, in 16 interleaved partial sums.
float Dot(const float* x, const float* y, size_t size);

// Σ x², in double.
double SquaredNorm(std::span<const float> x);

// The log of Σ exp(x), and exp(x) / Σ exp(x) in place of x.
float SoftmaxInPlace(std::span<float> x);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_BAG_KERNELS_H_
