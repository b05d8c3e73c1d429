#ifndef MEANFIELD_COORDINATOR_AGGREGATE_EXACT_MEAN_H_
#define MEANFIELD_COORDINATOR_AGGREGATE_EXACT_MEAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/tensor/safetensors.h"
#include "common/tensor/tensor_spec.h"

namespace meanfield::aggregate {

enum class FoldDevice { kCpu, kCuda };

// FAILED_PRECONDITION says why there is none (no CUDA in this build, no GPU).
absl::Status FoldDeviceIsThere(FoldDevice device);

// The weighted mean of updates, exact: any order, grouping and interleaving of
// Add and Remove gives the same bits (the arithmetic is in common/kernels and
// its header). Memory: one int64 per element of the model, whatever the number
// of updates, and each distinct value of a counter. Not thread-safe; `base`
// must outlive it.
class ExactMean {
 public:
  // `base`: the model the updates were trained from. `specs`: its tensors with
  // roles; frozen ones may be absent from it. `total_weight`: N of the planned
  // group, 0 < N < 2^53. INVALID_ARGUMENT "nan: …", "inf: …", "missing: …",
  // "extra: …", "shape: …", "dtype: …", "weight: …" where base cannot be
  // averaged; FAILED_PRECONDITION for kCuda without a device (nothing falls
  // back).
  static absl::StatusOr<ExactMean> Create(const SafetensorsFile& base,
                                          std::vector<TensorSpec> specs,
                                          uint64_t total_weight,
                                          FoldDevice device = FoldDevice::kCpu);
  ExactMean(ExactMean&&) noexcept;
  ExactMean& operator=(ExactMean&&) noexcept;
  ~ExactMean();

  // Folds an update in one checking pass. An update that fails a check is out
  // again, exactly, when this returns: INVALID_ARGUMENT "nan: …", "inf: …",
  // "exploded: …" names tensor and element; "missing: …", "extra: …",
  // "shape: …", "dtype: …", "weight: …" where it does not fit. An update has
  // the dtypes of base. INTERNAL when the device failed: the mean is lost, and
  // every later call says so.
  absl::Status Add(const SafetensorsFile& update, uint64_t weight);
  // Takes an update that was added out again. FAILED_PRECONDITION where it
  // cannot have been added.
  absl::Status Remove(const SafetensorsFile& update, uint64_t weight);

  uint64_t accepted_weight() const;
  int accepted_updates() const;

  // L2 norm of the last update added minus base, over trainable tensors.
  double last_update_norm() const;

  // Writes the mean as a canonical file. FAILED_PRECONDITION when nothing was
  // accepted (an average of nothing is an error). Where exactly one update is
  // accepted, its very bytes are the mean and the sums do not hold them:
  // `only_update` must be that update; it is ignored otherwise.
  absl::Status Finish(const std::string& output_path,
                      const SafetensorsFile* only_update) const;

 private:
  struct State;
  explicit ExactMean(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace meanfield::aggregate

#endif  // MEANFIELD_COORDINATOR_AGGREGATE_EXACT_MEAN_H_
