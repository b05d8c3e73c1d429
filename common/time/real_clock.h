#ifndef MEANFIELD_COMMON_TIME_REAL_CLOCK_H_
#define MEANFIELD_COMMON_TIME_REAL_CLOCK_H_

#include <memory>

#include "common/time/clock.h"

namespace meanfield {

// Steady clock for Now(); one thread runs the alarms. Outlives its alarms.
std::unique_ptr<Clock> MakeRealClock();

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_TIME_REAL_CLOCK_H_
