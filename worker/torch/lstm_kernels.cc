#include "worker/torch/lstm_kernels.h"

#include "worker/torch/gate_functions.h"
#include "worker/torch/vector_clones.h"

namespace meanfield {
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
