#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/kernels/accumulator.h"
#include "common/kernels/cuda_support.cuh"
#include "common/kernels/fold_cuda.cuh"

namespace meanfield::kernels {
namespace {

// Elements that travel at once: whole blocks.
constexpr size_t kChunk = kFoldBlock * 4096;
constexpr size_t kChunkBytes = kChunk * sizeof(double);
constexpr unsigned long long kNoneInvalid = UINT64_MAX;

// One chunk on its way. Pinned, because only then the next chunk is gathered
// while this one is copied and folded.
struct Slot {
  PinnedBuffer host;
  DeviceBuffer device;
  CudaEvent free;  // the device is done with both
};

// What the accumulators of a device share.
struct Pipeline {
  int ordinal = 0;
  CudaStream stream;
  Slot slots[2];
};

class CudaAccumulator : public Accumulator {
 public:
  static Result<std::unique_ptr<Accumulator>> Create(Pipeline& pipeline,
                                                     FloatView base,
                                                     int exponent);

  Result<FoldOutcome> Fold(FloatView update, double fraction) override;
  Result<Done> Finish(double ratio, void* mean) const override;

 private:
  CudaAccumulator(Pipeline& pipeline, FloatView base, int exponent)
      : pipeline_(pipeline), base_(base), exponent_(exponent) {}

  Result<Done> Allocate();
  Result<Done> FoldChunk(Slot& slot, FloatView update, double fraction,
                         size_t at, size_t count);
  Result<FoldOutcome> ReadOutcome() const;

  size_t blocks() const { return (base_.size + kFoldBlock - 1) / kFoldBlock; }
  FloatView DeviceBase(size_t at, size_t count) const {
    return {base_.type, device_base_.get() + at * SizeOf(base_.type), count};
  }
  uint64_t* sum() const { return reinterpret_cast<uint64_t*>(sum_.get()); }
  double* squares() const { return reinterpret_cast<double*>(squares_.get()); }
  // Behind the squares of the blocks.
  unsigned long long* first_invalid() const {
    return reinterpret_cast<unsigned long long*>(squares() + blocks());
  }

  Pipeline& pipeline_;
  const FloatView base_;
  const int exponent_;
  DeviceBuffer device_base_;
  DeviceBuffer sum_;
  DeviceBuffer squares_;
};

Result<std::unique_ptr<Accumulator>> CudaAccumulator::Create(Pipeline& pipeline,
                                                             FloatView base,
                                                             int exponent) {
  std::unique_ptr<CudaAccumulator> made(
      new CudaAccumulator(pipeline, base, exponent));
  if (base.size > 0) MEANFIELD_KERNELS_RETURN_IF_ERROR(made->Allocate());
  return std::unique_ptr<Accumulator>(std::move(made));
}

Result<Done> CudaAccumulator::Allocate() {
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaSetDevice(pipeline_.ordinal));
  const size_t base_bytes = base_.size * SizeOf(base_.type);
  const size_t sum_bytes = base_.size * sizeof(uint64_t);
  MEANFIELD_KERNELS_ASSIGN_OR_RETURN(device_base_, NewDeviceBuffer(base_bytes));
  MEANFIELD_KERNELS_ASSIGN_OR_RETURN(sum_, NewDeviceBuffer(sum_bytes));
  MEANFIELD_KERNELS_ASSIGN_OR_RETURN(
      squares_, NewDeviceBuffer((blocks() + 1) * sizeof(double)));
  cudaStream_t stream = pipeline_.stream.get();
  MEANFIELD_CUDA_RETURN_IF_ERROR(
      cudaMemcpyAsync(device_base_.get(), base_.data, base_bytes,
                      cudaMemcpyHostToDevice, stream));
  MEANFIELD_CUDA_RETURN_IF_ERROR(
      cudaMemsetAsync(sum_.get(), 0, sum_bytes, stream));
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaStreamSynchronize(stream));
  return Done();
}

Result<FoldOutcome> CudaAccumulator::Fold(FloatView update, double fraction) {
  if (base_.size == 0) return FoldOutcome();
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaSetDevice(pipeline_.ordinal));
  static_assert(kNoneInvalid == ~0ULL, "set byte by byte below");
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaMemsetAsync(
      first_invalid(), 0xff, sizeof *first_invalid(), pipeline_.stream.get()));
  for (size_t at = 0; at < base_.size; at += kChunk) {
    Slot& slot = pipeline_.slots[(at / kChunk) % std::size(pipeline_.slots)];
    const size_t count = std::min(kChunk, base_.size - at);
    MEANFIELD_KERNELS_RETURN_IF_ERROR(
        FoldChunk(slot, update, fraction, at, count));
  }
  return ReadOutcome();
}

Result<Done> CudaAccumulator::FoldChunk(Slot& slot, FloatView update,
                                        double fraction, size_t at,
                                        size_t count) {
  const size_t width = SizeOf(update.type);
  cudaStream_t stream = pipeline_.stream.get();
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaEventSynchronize(slot.free.get()));
  std::memcpy(slot.host.get(), update.As<std::byte>() + at * width,
              count * width);
  MEANFIELD_CUDA_RETURN_IF_ERROR(
      cudaMemcpyAsync(slot.device.get(), slot.host.get(), count * width,
                      cudaMemcpyHostToDevice, stream));
  FoldLaunch launch;
  launch.base = DeviceBase(at, count);
  launch.update = {update.type, slot.device.get(), count};
  launch.power = std::ldexp(1.0, exponent_);
  launch.fraction = fraction;
  launch.sum = sum() + at;
  launch.block_squares = squares() + at / kFoldBlock;
  launch.first_invalid = first_invalid();
  launch.first_index = at;
  MEANFIELD_KERNELS_RETURN_IF_ERROR(LaunchFold(launch, stream));
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaEventRecord(slot.free.get(), stream));
  return Done();
}

Result<FoldOutcome> CudaAccumulator::ReadOutcome() const {
  std::vector<double> squares_and_invalid(blocks() + 1);
  cudaStream_t stream = pipeline_.stream.get();
  MEANFIELD_CUDA_RETURN_IF_ERROR(
      cudaMemcpyAsync(squares_and_invalid.data(), squares(),
                      squares_and_invalid.size() * sizeof(double),
                      cudaMemcpyDeviceToHost, stream));
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaStreamSynchronize(stream));
  FoldOutcome outcome;
  unsigned long long invalid = 0;
  std::memcpy(&invalid, &squares_and_invalid.back(), sizeof invalid);
  if (invalid != kNoneInvalid) outcome.first_invalid = invalid;
  squares_and_invalid.pop_back();
  for (const double block : squares_and_invalid) outcome.squares += block;
  return outcome;
}

Result<Done> CudaAccumulator::Finish(double ratio, void* mean) const {
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaSetDevice(pipeline_.ordinal));
  cudaStream_t stream = pipeline_.stream.get();
  const Slot& slot = pipeline_.slots[0];
  const size_t width = SizeOf(base_.type);
  for (size_t at = 0; at < base_.size; at += kChunk) {
    const size_t count = std::min(kChunk, base_.size - at);
    FinishLaunch launch;
    launch.base = DeviceBase(at, count);
    launch.sum = sum() + at;
    launch.inverse_power = std::ldexp(1.0, -exponent_);
    launch.ratio = ratio;
    launch.mean = slot.device.get();
    MEANFIELD_KERNELS_RETURN_IF_ERROR(LaunchFinish(launch, stream));
    MEANFIELD_CUDA_RETURN_IF_ERROR(
        cudaMemcpyAsync(slot.host.get(), slot.device.get(), count * width,
                        cudaMemcpyDeviceToHost, stream));
    MEANFIELD_CUDA_RETURN_IF_ERROR(cudaStreamSynchronize(stream));
    std::memcpy(static_cast<std::byte*>(mean) + at * width, slot.host.get(),
                count * width);
  }
  return Done();
}

class CudaDevice : public Device {
 public:
  explicit CudaDevice(Pipeline pipeline) : pipeline_(std::move(pipeline)) {}

  Result<std::unique_ptr<Accumulator>> NewAccumulator(FloatView base,
                                                      int exponent) override {
    return CudaAccumulator::Create(pipeline_, base, exponent);
  }

 private:
  Pipeline pipeline_;
};

Result<Done> CheckOrdinal(int ordinal) {
  int count = 0;
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaGetDeviceCount(&count));
  if (ordinal < 0 || ordinal >= count) {
    return Error{"no CUDA device " + std::to_string(ordinal) + ": there are " +
                 std::to_string(count)};
  }
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaSetDevice(ordinal));
  return Done();
}

}  // namespace

Result<std::unique_ptr<Device>> OpenCuda(int ordinal) {
  if (const Result<Done> found = CheckOrdinal(ordinal); !found.ok()) {
    return Error{"no CUDA device to fold on: " + found.error()};
  }
  Pipeline pipeline;
  pipeline.ordinal = ordinal;
  MEANFIELD_KERNELS_ASSIGN_OR_RETURN(pipeline.stream, NewStream());
  for (Slot& slot : pipeline.slots) {
    MEANFIELD_KERNELS_ASSIGN_OR_RETURN(slot.host, NewPinnedBuffer(kChunkBytes));
    MEANFIELD_KERNELS_ASSIGN_OR_RETURN(slot.device,
                                       NewDeviceBuffer(kChunkBytes));
    MEANFIELD_KERNELS_ASSIGN_OR_RETURN(slot.free, NewEvent());
  }
  return std::unique_ptr<Device>(
      std::make_unique<CudaDevice>(std::move(pipeline)));
}

}  // namespace meanfield::kernels
