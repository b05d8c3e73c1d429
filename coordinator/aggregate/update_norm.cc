#include "coordinator/aggregate/update_norm.h"

#include <algorithm>
#include <cmath>

namespace meanfield::aggregate {

double UpdateNorm::Value() const {
  int coarsest = 52;
  for (const Part& part : parts_) coarsest = std::min(coarsest, part.exponent);
  double total = 0;
  for (const Part& part : parts_) {
    total += std::ldexp(part.squares, 2 * (coarsest - part.exponent));
  }
  return std::ldexp(std::sqrt(total), -coarsest);
}

}  // namespace meanfield::aggregate
