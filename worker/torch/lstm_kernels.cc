#include "worker/torch/lstm_kernels.h"

#include <bit>

#include "worker/torch/vector_clones.h"

namespace meanfield {
namespace {

#define MEANFIELD_INLINE inline __attribute__((always_inline))

// e^x to 1 ulp or so between -87 and 88, where it stops growing; NaN stays NaN.
// Arithmetic and comparisons only, so that loops around it vectorise.
MEANFIELD_INLINE float Exp(float x) {
  constexpr float kLog2E = 1.44269504f;
  constexpr float kLn2High = 0.693359375f;
  constexpr float kLn2Low = -2.12194440e-4f;
  constexpr float kRound = 12582912;  // 1.5·2^23: the sum is a whole number
  x = x > 88 ? 88 : x;
  x = x < -87 ? -87 : x;
  const float rounded = x * kLog2E + kRound;
  const float n = rounded - kRound;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  const float fraction = (p * (r * r) + r) + 1;
  const int32_t exponent =
      std::bit_cast<int32_t>(rounded) - std::bit_cast<int32_t>(kRound);
  return fraction * std::bit_cast<float>((exponent + 127) << 23);
}

MEANFIELD_INLINE float Sigmoid(float x) { return 1 / (1 + Exp(-x)); }

MEANFIELD_INLINE float Tanh(float x) {
  const float magnitude = x < 0 ? -x : x;
  const float large = 1 - 2 / (Exp(2 * magnitude) + 1);
  const float z = x * x;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  const float small = p * z * x + x;
  return magnitude < 0.625f ? small : (x < 0 ? -large : large);
}

}  // namespace

MEANFIELD_VECTOR_CLONES
void LstmCell(int64_t hidden, const float* c_before, float* __restrict gates,
              float* __restrict c, float* __restrict h) {
  float* __restrict input = gates;
  float* __restrict forget = gates + hidden;
  float* __restrict cell = gates + 2 * hidden;
  float* __restrict output = gates + 3 * hidden;
  for (int64_t j = 0; j < hidden; ++j) input[j] = Sigmoid(input[j]);
  for (int64_t j = 0; j < hidden; ++j) forget[j] = Sigmoid(forget[j]);
  for (int64_t j = 0; j < hidden; ++j) cell[j] = Tanh(cell[j]);
  for (int64_t j = 0; j < hidden; ++j) output[j] = Sigmoid(output[j]);
  if (c_before == nullptr) {
    for (int64_t j = 0; j < hidden; ++j) c[j] = input[j] * cell[j];
  } else {
    for (int64_t j = 0; j < hidden; ++j) {
      c[j] = forget[j] * c_before[j] + input[j] * cell[j];
    }
  }
  for (int64_t j = 0; j < hidden; ++j) h[j] = output[j] * Tanh(c[j]);
}

MEANFIELD_VECTOR_CLONES
void LstmCellGradient(int64_t hidden, const float* c_before, const float* c,
                      const float* dh, const float* dh_after,
                      float* __restrict gates, float* __restrict dc) {
  float* __restrict input = gates;
  float* __restrict forget = gates + hidden;
  float* __restrict cell = gates + 2 * hidden;
  float* __restrict output = gates + 3 * hidden;
  // The output gate and c. Its place is free afterwards.
  if (dh_after == nullptr) {
    for (int64_t j = 0; j < hidden; ++j) {
      const float o = output[j];
      const float tanh_c = Tanh(c[j]);
      dc[j] += dh[j] * o * (1 - tanh_c * tanh_c);
      output[j] = dh[j] * tanh_c * (o * (1 - o));
    }
  } else {
    for (int64_t j = 0; j < hidden; ++j) {
      const float o = output[j];
      const float tanh_c = Tanh(c[j]);
      const float sum = dh[j] + dh_after[j];
      dc[j] += sum * o * (1 - tanh_c * tanh_c);
      output[j] = sum * tanh_c * (o * (1 - o));
    }
  }
  if (c_before == nullptr) {
    for (int64_t j = 0; j < hidden; ++j) forget[j] = 0;
    for (int64_t j = 0; j < hidden; ++j) {
      const float i = input[j];
      const float g = cell[j];
      input[j] = dc[j] * g * (i * (1 - i));
      cell[j] = dc[j] * i * (1 - g * g);
      dc[j] = 0;
    }
    return;
  }
  for (int64_t j = 0; j < hidden; ++j) {
    const float i = input[j];
    const float g = cell[j];
    const float f = forget[j];
    input[j] = dc[j] * g * (i * (1 - i));
    cell[j] = dc[j] * i * (1 - g * g);
    forget[j] = dc[j] * c_before[j] * (f * (1 - f));
    dc[j] *= f;
  }
}

}  // namespace meanfield
