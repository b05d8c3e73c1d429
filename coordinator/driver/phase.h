#ifndef MEANFIELD_COORDINATOR_DRIVER_PHASE_H_
#define MEANFIELD_COORDINATOR_DRIVER_PHASE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/time/clock.h"
#include "coordinator/driver/context.h"
#include "coordinator/driver/worker_registry.h"
#include "coordinator/driver/worker_sessions.h"
#include "coordinator/driver/worker_view.h"
#include "coordinator/round/round.h"
#include "proto/plan.pb.h"

namespace meanfield::driver {

// How far a unit of a phase has come.
struct UnitProgress {
  std::string worker;  // that holds, or did, the unit
  absl::Time since;    // when it was leased
  uint64_t steps_done = 0;
  uint64_t tokens_done = 0;
  double loss_sum = 0;
  uint64_t loss_count = 0;
  std::optional<double> busy_s;  // present: the unit is in
};

using UnitReport = WorkerSessions::Progress;

// A round::Round with its units, carried out: effects become calls on links,
// leases and alarms. Actor thread only; owned by shared pointers, since its
// alarms and background work may come back after its end.
class Phase : public std::enable_shared_from_this<Phase> {
 public:
  struct Unit {
    proto::Unit unit;
    std::string preferred_worker;
    uint64_t max_output_bytes = 0;
  };
  // A sealed output on its way in.
  struct Arrival {
    size_t unit = 0;
    std::string worker;
    std::string path;
    proto::UnitResult result;
  };
  struct Hooks {
    std::function<bool(const Worker&)> eligible;
    // In the background, one at a time: OK takes the output in for good,
    // INVALID_ARGUMENT rejects it, anything else ends the phase.
    std::function<absl::Status(const Arrival&)> take_in;
    std::function<void(const Arrival&)> accepted;
    std::function<void(const Arrival&, const absl::Status&)> rejected;
    // A failure that will be tried again, for people.
    std::function<void(const std::string&)> trouble;
    std::function<void()> progressed;  // may be null
    // The last call: every unit is in, or the reason why not.
    std::function<void(Phase&, const absl::Status&)> ended;
  };
  // Outputs arrive below `folder`, which exists.
  Phase(Context& context, std::vector<Unit> units, std::string folder,
        Hooks hooks);

  // Becomes the context's phase until it ends.
  void Start();
  void Cancel(const absl::Status& reason);
  // Gives up the leases and removes their files.
  void Close();

  void OnWorkerJoined(const Worker& worker);
  void OnWorkerLost(const std::string& worker, const std::string& why);
  // Reports of a worker on a lease that is not its own are ignored.
  void OnProgress(const std::string& worker, const UnitReport& report);
  void OnResult(const std::string& worker, uint64_t lease,
                const proto::UnitResult& result);
  void OnFailure(const std::string& worker, uint64_t lease,
                 const absl::Status& status);

  // Adds the unit that the worker has, if any.
  void Describe(WorkerView& worker) const;

  const std::vector<UnitProgress>& progress() const { return progress_; }
  // Of blobs that a worker did not hold yet, and of outputs.
  uint64_t bytes_moved() const { return bytes_moved_; }

 private:
  struct LeaseEntry {
    size_t unit = 0;
    std::string worker;
  };
  void Execute(const round::Effects& effects);
  void Carry(const round::Assign& assign);
  void Carry(const round::CancelLease& cancel);
  void Carry(const round::Ingest& ingest);
  void Carry(const round::Discard& discard);
  void Carry(const round::Complete&) { outcome_ = absl::OkStatus(); }
  void Carry(const round::Abandon& abandon) { outcome_ = abandon.reason; }
  void Carry(const round::WakeAt& wake);
  void OnTakenIn(uint64_t lease, const Arrival& arrival,
                 const absl::Status& status);
  void CountBlobs(Worker& worker, const proto::Unit& unit);
  bool IsHolder(const std::string& worker, uint64_t lease) const;
  void End(const absl::Status& status);
  absl::Time Now() { return context_.clock.Now(); }

  Context& context_;
  const std::vector<Unit> units_;
  const std::string folder_;
  Hooks hooks_;
  const round::UnsettledLeases unsettled_;  // when the phase began
  round::Round round_;
  std::optional<absl::Status> outcome_;  // set by the last effect
  bool ended_ = false;
  std::map<uint64_t, LeaseEntry> leases_;  // every one ever granted
  std::vector<UnitProgress> progress_;     // by unit
  uint64_t bytes_moved_ = 0;
  std::unique_ptr<Alarm> alarm_;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_PHASE_H_
