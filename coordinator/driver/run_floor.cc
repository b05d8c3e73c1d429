#include "coordinator/driver/run_floor.h"

#include <string>
#include <utility>

namespace meanfield::driver {

std::shared_ptr<Phase> RunFloor::MakePhase(PhaseOptions options) {
  std::vector<proto::UnitKey> keys;
  for (const Phase::Unit& unit : options.units) {
    keys.push_back(unit.unit.key());
  }
  Phase::Hooks hooks{
      .eligible = eligible,
      .take_in = std::move(options.take_in),
      .accepted =
          [this, keys, accepted = std::move(options.accepted)](
              const Phase::Arrival& arrival) {
            const proto::UnitKey& key = keys[arrival.unit];
            holders[{key.split(), key.shard()}] = arrival.worker;
            journal.CountUnit(arrival.worker, key.kind(),
                              arrival.result.statistics());
            if (accepted) accepted(arrival);
          },
      .rejected =
          [this, keys](const Phase::Arrival& arrival,
                       const absl::Status& status) {
            journal.Reject(keys[arrival.unit], arrival.worker, status);
          },
      .trouble = [this](const std::string& text) { journal.Warn(text); },
      .progressed = std::move(options.progressed),
      .ended = std::move(options.ended)};
  return std::make_shared<Phase>(context, std::move(options.units),
                                 prepared->incoming, std::move(hooks));
}

}  // namespace meanfield::driver
