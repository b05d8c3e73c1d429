#ifndef MEANFIELD_WORKER_TORCH_VECTOR_CLONES_H_
#define MEANFIELD_WORKER_TORCH_VECTOR_CLONES_H_

// Functions marked so are compiled twice, and the wider version is taken where
// the CPU has it. Only the speed may differ: every sum in them has a fixed
// order, and nothing is contracted to a fused multiply and add.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define MEANFIELD_VECTOR_CLONES \
  __attribute__((target_clones("avx2", "default")))
#else
#define MEANFIELD_VECTOR_CLONES
#endif

#endif  // MEANFIELD_WORKER_TORCH_VECTOR_CLONES_H_
