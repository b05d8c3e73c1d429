#include "worker/torch/bag_kernels.h"

#include <algorithm>
#include <cmath>

#include "worker/torch/vector_clones.h"

namespace meanfield {
namespace {

// Rows lie far apart in memory: ask for them this many ids ahead.
constexpr size_t kPrefetchAhead = 12;
constexpr size_t kCacheLine = 64;  // bytes

inline void Prefetch(const float* row, size_t size) {
  const char* bytes = reinterpret_cast<const char*>(row);
  for (size_t i = 0; i < size * sizeof(float); i += kCacheLine) {
    __builtin_prefetch(bytes + i);
  }
}

}  // namespace

MEANFIELD_VECTOR_CLONES
void AddRows(const float* table, std::span<const int32_t> ids,
             std::span<float> out) {
  const size_t size = out.size();
  float* __restrict y = out.data();
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i + kPrefetchAhead < ids.size()) {
      Prefetch(table + ids[i + kPrefetchAhead] * size, size);
    }
    const float* __restrict row = table + ids[i] * size;
    for (size_t j = 0; j < size; ++j) y[j] += row[j];
  }
}

MEANFIELD_VECTOR_CLONES
void AddToRows(std::span<const float> delta, std::span<const int32_t> ids,
               float* table) {
  const size_t size = delta.size();
  const float* __restrict x = delta.data();
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i + kPrefetchAhead < ids.size()) {
      Prefetch(table + ids[i + kPrefetchAhead] * size, size);
    }
    float* __restrict row = table + ids[i] * size;
    for (size_t j = 0; j < size; ++j) row[j] += x[j];
  }
}

MEANFIELD_VECTOR_CLONES
void AddScaled(float a, const float* __restrict x, size_t size,
               float* __restrict y) {
  for (size_t j = 0; j < size; ++j) y[j] += a * x[j];
}

MEANFIELD_VECTOR_CLONES
float Dot(const float* x, const float* y, size_t size) {
  constexpr size_t kLanes = 16;
  float lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (size_t j = 0; j < kLanes; ++j) lanes[j] += x[i + j] * y[i + j];
  }
  for (size_t j = 0; i < size; ++i, ++j) lanes[j] += x[i] * y[i];
  for (size_t width = kLanes / 2; width > 0; width /= 2) {
    for (size_t j = 0; j < width; ++j) lanes[j] += lanes[j + width];
  }
  return lanes[0];
}

double SquaredNorm(std::span<const float> x) {
  double lanes[4] = {};
  for (size_t i = 0; i < x.size(); ++i) {
    lanes[i % 4] += static_cast<double>(x[i]) * x[i];
  }
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

float SoftmaxInPlace(std::span<float> x) {
  const float most = *std::max_element(x.begin(), x.end());
  float sum = 0;
  for (float& value : x) {
    value = std::exp(value - most);
    sum += value;
  }
  const float scale = 1 / sum;
  for (float& value : x) value *= scale;
  return most + std::log(sum);
}

}  // namespace meanfield
