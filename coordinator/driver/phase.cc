#include "coordinator/driver/phase.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/log.h"
#include "common/blob/hash.h"
#include "common/convert/convert.h"
#include "coordinator/driver/blob_refs.h"

namespace meanfield::driver {
namespace {

constexpr size_t kReadableBytes = 80;

std::vector<round::UnitRequest> Requests(
    const std::vector<Phase::Unit>& units) {
  std::vector<round::UnitRequest> requests;
  requests.reserve(units.size());
  for (const Phase::Unit& unit : units) {
    requests.push_back(
        {.key = unit.unit.key(), .preferred_worker = unit.preferred_worker});
  }
  return requests;
}

// The same for every lease of the unit to the same process.
std::string FileStem(const proto::UnitKey& key, const Worker& worker) {
  const std::string name = UnitName(key);
  const std::string full = absl::StrCat(name, "/", worker.identity.name, "/",
                                        worker.identity.incarnation);
  std::string readable = name.substr(0, kReadableBytes);
  for (char& c : readable) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) c = '-';
  }
  return absl::StrCat(readable, "-",
                      absl::Hex(ChunkChecksum(std::as_bytes(std::span(full))),
                                absl::kZeroPad16));
}

}  // namespace

Phase::Phase(Context& context, std::vector<Unit> units, std::string folder,
             Hooks hooks)
    : context_(context),
      units_(std::move(units)),
      folder_(std::move(folder)),
      hooks_(std::move(hooks)),
      unsettled_(std::exchange(context.unsettled, {})),
      round_(Requests(units_), context.policy, context.next_lease, unsettled_),
      progress_(units_.size()) {}

void Phase::Start() {
  MEANFIELD_CHECK(context_.phase == nullptr, "two phases at a time");
  context_.phase = shared_from_this();
  std::set<std::string> present;
  for (const auto& [name, worker] : context_.workers.workers()) {
    if (hooks_.eligible(worker)) present.insert(name);
  }
  Execute(round_.Start(present, Now()));
}

void Phase::Cancel(const absl::Status& reason) {
  if (!ended_) Execute(round_.Cancel(reason, Now()));
}

void Phase::Close() {
  std::vector<uint64_t> leases;
  for (const auto& [lease, entry] : leases_) leases.push_back(lease);
  context_.background.Post(
      [&table = context_.leases, leases = std::move(leases)] {
        table.Remove(leases);
      });
}

void Phase::OnWorkerJoined(const Worker& worker) {
  if (!hooks_.eligible(worker)) return;
  Execute(round_.OnWorkerJoined(worker.identity.name, Now()));
}

void Phase::OnWorkerLost(const std::string& worker, const std::string& why) {
  Execute(round_.OnWorkerLost(worker, why, Now()));
}

bool Phase::IsHolder(const std::string& worker, uint64_t lease) const {
  const auto ours = leases_.find(lease);
  if (ours != leases_.end()) return ours->second.worker == worker;
  const auto earlier = unsettled_.find(lease);
  return earlier != unsettled_.end() && earlier->second == worker;
}

void Phase::OnProgress(const std::string& worker, const UnitReport& report) {
  if (!IsHolder(worker, report.lease)) return;
  const std::optional<size_t> unit = round_.UnitOf(report.lease);
  if (unit.has_value()) {
    UnitProgress& mine = progress_[*unit];
    if (mine.worker == worker && report.steps_done > mine.steps_done) {
      mine.steps_done = report.steps_done;
      mine.tokens_done = report.tokens_done;
      mine.loss_sum = report.loss_sum;
      mine.loss_count = report.loss_count;
    }
  }
  Execute(round_.OnProgress(report.lease, report.steps_done, Now()));
  if (!ended_ && hooks_.progressed) hooks_.progressed();
}

void Phase::Describe(WorkerView& worker) const {
  const std::optional<size_t> unit = round_.HeldBy(worker.identity.name);
  if (!unit.has_value()) return;
  const UnitProgress& progress = progress_[*unit];
  worker.unit = UnitName(units_[*unit].unit.key());
  worker.unit_time = context_.clock.Now() - progress.since;
  worker.steps_done = progress.steps_done;
}

void Phase::OnResult(const std::string& worker, uint64_t lease,
                     const proto::UnitResult& result) {
  if (!IsHolder(worker, lease)) return;
  if (leases_.contains(lease)) {
    const auto path =
        context_.leases.SealedPath(lease, OwnBlob(result.output()));
    if (!path.ok()) return OnFailure(worker, lease, path.status());
    bytes_moved_ += result.output().size();
  }
  Execute(round_.OnResult(lease, result, Now()));
}

void Phase::OnFailure(const std::string& worker, uint64_t lease,
                      const absl::Status& status) {
  if (!IsHolder(worker, lease)) return;
  const auto entry = leases_.find(lease);
  if (entry != leases_.end() && round_.UnitOf(lease).has_value()) {
    hooks_.trouble(absl::StrCat(UnitName(units_[entry->second.unit].unit.key()),
                                " failed on worker \"", worker,
                                "\": ", status.ToString()));
  }
  // CANCELLED stands for the user's wish everywhere else; where the unit was
  // not cancelled, it is a failure like others.
  Execute(round_.OnFailure(lease,
                           absl::IsCancelled(status)
                               ? absl::InternalError(status.message())
                               : status,
                           Now()));
}

void Phase::Execute(const round::Effects& effects) {
  const auto self = shared_from_this();  // End may drop the last owner
  context_.next_lease = std::max(context_.next_lease, round_.next_lease());
  for (const round::Effect& effect : effects) {
    std::visit([this](const auto& what) { Carry(what); }, effect);
  }
  if (outcome_.has_value()) End(*outcome_);
}

void Phase::Carry(const round::Assign& assign) {
  Worker* worker = context_.workers.Find(assign.worker);
  MEANFIELD_CHECK(worker != nullptr, "a unit for a worker that is gone");
  const Unit& unit = units_[assign.unit];
  leases_[assign.lease] = {.unit = assign.unit, .worker = assign.worker};
  progress_[assign.unit] = {.worker = assign.worker, .since = Now()};
  context_.leases.Add(assign.lease,
                      {.holder = worker->process(),
                       .readable = BlobsOf(unit.unit),
                       .folder = folder_,
                       .stem = FileStem(unit.unit.key(), *worker),
                       .max_output_bytes = unit.max_output_bytes});
  CountBlobs(*worker, unit.unit);
  worker->link->Assign(assign.lease, unit.unit);
}

void Phase::Carry(const round::CancelLease& cancel) {
  Worker* worker = context_.workers.Find(cancel.worker);
  if (worker != nullptr) worker->link->Cancel(cancel.lease, cancel.reason);
}

void Phase::Carry(const round::Ingest& ingest) {
  const auto path =
      context_.leases.SealedPath(ingest.lease, OwnBlob(ingest.result.output()));
  MEANFIELD_CHECK(path.ok(), "an output without its file");
  Arrival arrival{.unit = ingest.unit,
                  .worker = ingest.worker,
                  .path = *path,
                  .result = ingest.result};
  InBackground(
      context_,
      [take_in = hooks_.take_in, arrival] { return take_in(arrival); },
      [self = shared_from_this(), lease = ingest.lease,
       arrival](const absl::Status& status) {
        self->OnTakenIn(lease, arrival, status);
      });
}

void Phase::OnTakenIn(uint64_t lease, const Arrival& arrival,
                      const absl::Status& status) {
  if (ended_) return;
  if (status.ok()) {
    const proto::TrainStatistics& done = arrival.result.statistics();
    UnitProgress& mine = progress_[arrival.unit];
    mine.worker = arrival.worker;
    mine.steps_done = done.steps();
    mine.tokens_done = done.tokens();
    mine.loss_sum = done.loss_sum();
    mine.loss_count = done.loss_count();
    mine.busy_s = done.busy_s();
    Worker* worker = context_.workers.Find(arrival.worker);
    if (worker != nullptr) ++worker->units_done;
    hooks_.accepted(arrival);
    Execute(round_.OnAccepted(lease, Now()));
  } else if (absl::IsInvalidArgument(status)) {
    hooks_.rejected(arrival, status);
    Execute(round_.OnRejected(lease, std::string(status.message()), Now()));
  } else {
    Cancel(status);
  }
}

void Phase::Carry(const round::Discard& discard) {
  Log(LogLevel::kInfo, "result_discarded",
      {{"lease", discard.lease}, {"reason", discard.reason}});
  const auto entry = leases_.find(discard.lease);
  if (discard.reason == "mismatch" && entry != leases_.end()) {
    hooks_.rejected(
        {.unit = entry->second.unit,
         .worker = discard.worker,
         .result = discard.result},
        absl::InvalidArgumentError(absl::StrCat(
            "mismatch: worker \"", discard.worker,
            "\" returned other bytes than worker \"", discard.accepted_worker,
            "\" for the same unit; the first result counts")));
  }
  context_.background.Post([&table = context_.leases, lease = discard.lease] {
    table.Remove({lease});
  });
}

void Phase::Carry(const round::WakeAt& wake) {
  alarm_ = context_.clock.ScheduleAt(
      wake.time, [&actor = context_.actor, weak = weak_from_this()] {
        actor.Post([weak] {
          const auto self = weak.lock();
          if (self != nullptr && !self->ended_) {
            self->Execute(self->round_.OnAlarm(self->Now()));
          }
        });
      });
}

void Phase::CountBlobs(Worker& worker, const proto::Unit& unit) {
  for (const Blob& blob : BlobsOf(unit)) {
    if (worker.held_blobs.insert(blob.id).second) bytes_moved_ += blob.size;
  }
}

void Phase::End(const absl::Status& status) {
  if (ended_) return;
  ended_ = true;
  alarm_.reset();
  context_.unsettled = round_.Unsettled();
  if (context_.phase.get() == this) context_.phase.reset();
  const Hooks hooks = std::exchange(hooks_, {});
  hooks.ended(*this, status);
}

}  // namespace meanfield::driver
