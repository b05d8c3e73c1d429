#include <cstdint>
#include <memory>
#include <vector>

#include "common/kernels/accumulator.h"

namespace meanfield::kernels {
namespace {

class CpuAccumulator : public Accumulator {
 public:
  CpuAccumulator(FloatView base, int exponent)
      : base_(base), exponent_(exponent), sum_(base.size) {}

  Result<FoldOutcome> Fold(FloatView update, double fraction) override {
    return kernels::Fold(base_, update, {exponent_, fraction}, sum_);
  }
  Result<Done> Finish(double ratio, void* mean) const override {
    FinishMean(base_, sum_, exponent_, ratio, mean);
    return Done();
  }

 private:
  const FloatView base_;
  const int exponent_;
  std::vector<uint64_t> sum_;
};

class CpuDevice : public Device {
 public:
  Result<std::unique_ptr<Accumulator>> NewAccumulator(FloatView base,
                                                      int exponent) override {
    return std::unique_ptr<Accumulator>(
        std::make_unique<CpuAccumulator>(base, exponent));
  }
};

}  // namespace

std::unique_ptr<Device> OpenCpu() { return std::make_unique<CpuDevice>(); }

#if !defined(MEANFIELD_WITH_CUDA)
Result<std::unique_ptr<Device>> OpenCuda(int /*ordinal*/) {
  return Error{
      "this build has no CUDA (configure with -DMEANFIELD_WITH_CUDA=ON and "
      "nvcc)"};
}
#endif

}  // namespace meanfield::kernels
