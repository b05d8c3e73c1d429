#ifndef MEANFIELD_COORDINATOR_DRIVER_CONTEXT_H_
#define MEANFIELD_COORDINATOR_DRIVER_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "common/time/clock.h"
#include "coordinator/aggregate/exact_mean.h"
#include "coordinator/driver/executor.h"
#include "coordinator/driver/lease_table.h"
#include "coordinator/driver/worker_registry.h"
#include "coordinator/round/round.h"
#include "coordinator/store/run_store.h"

namespace meanfield::driver {

class Phase;

// What the activities of a coordinator share. Belongs to the actor's thread;
// clock, executors, store and leases may be used from any.
struct Context {
  Clock& clock;
  Executor& actor;
  // Files, folds, commits, one after another.
  Executor& background;
  store::RunStore& store;
  LeaseTable& leases;
  WorkerRegistry& workers;
  round::Policy policy;
  aggregate::FoldDevice fold_device = aggregate::FoldDevice::kCpu;
  uint64_t next_lease = 1;
  // Of the last phase: workers that still owe an answer.
  round::UnsettledLeases unsettled;
  // The one that hands out units now; null between phases.
  std::shared_ptr<Phase> phase;
};

// Runs `work` in the background and `then` with its value on the actor.
template <typename Work, typename Then>
void InBackground(Context& context, Work work, Then then) {
  context.background.Post([&actor = context.actor, work = std::move(work),
                           then = std::move(then)]() mutable {
    auto value = work();
    actor.Post([value = std::move(value), then = std::move(then)]() mutable {
      then(std::move(value));
    });
  });
}

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_CONTEXT_H_
