#ifndef MEANFIELD_WORKER_TORCH_GATE_FUNCTIONS_H_
#define MEANFIELD_WORKER_TORCH_GATE_FUNCTIONS_H_

#include <bit>
#include <cstdint>

// What the gates of recurrent layers are made of, for loops that vectorise: the
// same bits on every CPU.
namespace meanfield {

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

#undef MEANFIELD_INLINE

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_GATE_FUNCTIONS_H_
