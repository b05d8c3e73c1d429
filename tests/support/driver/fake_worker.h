#ifndef MEANFIELD_TESTS_SUPPORT_DRIVER_FAKE_WORKER_H_
#define MEANFIELD_TESTS_SUPPORT_DRIVER_FAKE_WORKER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "coordinator/driver/coordinator.h"
#include "coordinator/driver/executor.h"
#include "coordinator/driver/worker_link.h"
#include "proto/plan.pb.h"
#include "worker/trainer/local_trainer.h"

namespace meanfield::testing {

// A worker inside the test's process: leases come by the link, units run with a
// LocalTrainer on `executor`, outputs go back as the service would bring them.
class FakeWorker : public driver::WorkerLink,
                   public std::enable_shared_from_this<FakeWorker> {
 public:
  struct Options {
    std::string name = "worker";
    uint64_t incarnation = 1;
    std::string scratch;  // folder for outputs
  };
  FakeWorker(driver::Coordinator& coordinator, LocalTrainer& trainer,
             driver::Executor& executor, Options options);

  // What a bad worker does to an output before it is uploaded; may be null.
  std::function<void(const proto::Unit&, const std::string& path,
                     proto::UnitResult&)>
      tamper;
  // Replaces a unit; may be null. OK: the unit runs as ever.
  std::function<absl::Status(const proto::Unit&)> before_unit;
  // Leases wait for RunHeld instead of running at once.
  bool hold = false;
  int units_done = 0;
  bool dismissed = false;

  absl::Status Connect();
  void Leave(const absl::Status& why);
  // Runs the units that were held back.
  void RunHeld();
  size_t held() const { return held_.size(); }
  // Reports the last result once more.
  void RepeatResult();
  std::string session() const;

  void Assign(uint64_t lease, const proto::Unit& unit) override;
  void Cancel(uint64_t lease, std::string_view reason) override;
  void Dismiss(std::string_view reason) override;

 private:
  void Run(uint64_t lease, const proto::Unit& unit);
  absl::StatusOr<proto::UnitResult> Compute(uint64_t lease,
                                            const proto::Unit& unit,
                                            const std::string& path);
  absl::Status Upload(uint64_t lease, const std::string& path,
                      proto::UnitResult& result);
  absl::StatusOr<std::string> ReadBlob(const proto::BlobRef& blob);
  absl::StatusOr<SafetensorsFile> OpenBlob(const proto::BlobRef& blob);

  driver::Coordinator& coordinator_;
  LocalTrainer& trainer_;
  driver::Executor& executor_;
  const Options options_;
  // Held while joining: a lease may come before the token is known here.
  mutable Mutex session_mutex_;
  std::string session_ ABSL_GUARDED_BY(session_mutex_);
  std::deque<std::pair<uint64_t, proto::Unit>> held_;
  uint64_t last_lease_ = 0;
  proto::UnitResult last_result_;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_SUPPORT_DRIVER_FAKE_WORKER_H_
