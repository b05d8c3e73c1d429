#ifndef MEANFIELD_COORDINATOR_AGGREGATE_UPDATE_NORM_H_
#define MEANFIELD_COORDINATOR_AGGREGATE_UPDATE_NORM_H_

#include <vector>

namespace meanfield::aggregate {

// The L2 norm over several tensors, each measured in a unit of its own. Depends
// on the order of Add only; overflows only where the norm itself does.
class UpdateNorm {
 public:
  // Sum of squares in units of 2^-2e (kernels::FoldOutcome).
  void Add(double squares, int exponent) {
    parts_.push_back({squares, exponent});
  }
  double Value() const;

 private:
  struct Part {
    double squares;
    int exponent;
  };
  std::vector<Part> parts_;
};

}  // namespace meanfield::aggregate

#endif  // MEANFIELD_COORDINATOR_AGGREGATE_UPDATE_NORM_H_
