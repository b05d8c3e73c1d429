#include "worker/torch/gru_kernels.h"

#include "worker/torch/gate_functions.h"
#include "worker/torch/vector_clones.h"

namespace meanfield {

MEANFIELD_VECTOR_CLONES
void GruCell(int64_t hidden, const float* of_hidden, const float* h_before,
             float* __restrict of_input, float* __restrict h) {
  for (int64_t j = 0; j < 2 * hidden; ++j) {
    of_input[j] = Sigmoid(of_input[j] + of_hidden[j]);
  }
  const float* reset = of_input;
  const float* update = of_input + hidden;
  float* __restrict fresh = of_input + 2 * hidden;
  const float* fresh_of_hidden = of_hidden + 2 * hidden;
  for (int64_t j = 0; j < hidden; ++j) {
    fresh[j] = Tanh(fresh[j] + reset[j] * fresh_of_hidden[j]);
  }
  if (h_before == nullptr) {
    for (int64_t j = 0; j < hidden; ++j) h[j] = (1 - update[j]) * fresh[j];
  } else {
    for (int64_t j = 0; j < hidden; ++j) {
      h[j] = (1 - update[j]) * fresh[j] + update[j] * h_before[j];
    }
  }
}

MEANFIELD_VECTOR_CLONES
void GruCellGradient(int64_t hidden, const float* h_before, const float* dh,
                     bool continues, float* __restrict of_input,
                     float* __restrict of_hidden, float* __restrict carry) {
  if (continues) {
    for (int64_t j = 0; j < hidden; ++j) carry[j] += dh[j];
  } else {
    for (int64_t j = 0; j < hidden; ++j) carry[j] = dh[j];
  }
  float* __restrict reset = of_input;
  float* __restrict update = of_input + hidden;
  float* __restrict fresh = of_input + 2 * hidden;
  for (int64_t j = 0; j < hidden; ++j) {
    const float before = h_before == nullptr ? 0 : h_before[j];
    const float d = carry[j];
    const float r = reset[j];
    const float z = update[j];
    const float n = fresh[j];
    const float d_fresh = d * (1 - z) * (1 - n * n);
    const float d_update = d * (before - n) * (z * (1 - z));
    const float d_reset = d_fresh * of_hidden[2 * hidden + j] * (r * (1 - r));
    reset[j] = d_reset;
    update[j] = d_update;
    fresh[j] = d_fresh;
    of_hidden[j] = d_reset;
    of_hidden[hidden + j] = d_update;
    of_hidden[2 * hidden + j] = d_fresh * r;
    carry[j] = d * z;
  }
}

}  // namespace meanfield
