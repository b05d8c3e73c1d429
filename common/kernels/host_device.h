#ifndef MEANFIELD_COMMON_KERNELS_HOST_DEVICE_H_
#define MEANFIELD_COMMON_KERNELS_HOST_DEVICE_H_

// Marks small functions that the CPU loops and their CUDA twins share.
#ifdef __CUDACC__
#define MEANFIELD_HOST_DEVICE __host__ __device__
#else
#define MEANFIELD_HOST_DEVICE
#endif

#endif  // MEANFIELD_COMMON_KERNELS_HOST_DEVICE_H_
