#ifndef MEANFIELD_TESTS_COORDINATOR_SERVICE_FAKE_SESSIONS_H_
#define MEANFIELD_TESTS_COORDINATOR_SERVICE_FAKE_SESSIONS_H_

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/strings.h"
#include "common/blob/hash.h"
#include "common/time/real_clock.h"
#include "common/time/timed_wait.h"
#include "coordinator/driver/worker_sessions.h"
#include "gtest/gtest.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::testing {

// Sessions that remember what they were told, with blobs and leases that the
// test lays out. Wait lets a test go on when something has happened.
class FakeSessions : public driver::WorkerSessions {
 public:
  struct Joined {
    driver::WorkerIdentity worker;
    std::shared_ptr<driver::WorkerLink> link;
    std::string session;
  };
  struct Left {
    std::string session;
    absl::Status why;
  };
  struct Failure {
    uint64_t lease = 0;
    absl::Status status;
  };
  struct Result {
    uint64_t lease = 0;
    proto::UnitResult result;
  };
  struct Record {
    std::vector<Joined> joined;
    std::vector<Left> left;
    std::vector<Progress> progress;
    std::vector<Result> results;
    std::vector<Failure> failures;
    std::vector<std::string> reads;  // blob ids, in order
    int uploads = 0;                 // times that a path was asked for
    int seals = 0;
  };

  // Waits until `done` holds for what was recorded; fails the test after a
  // minute.
  void Wait(const std::function<bool(const Record&)>& done) {
    const MutexLock lock(mutex_);
    EXPECT_TRUE(WaitUntil(*clock_, clock_->Now() + absl::Minutes(1), mutex_,
                          changed_, [&] { return done(record_); }))
        << "what the test waits for did not happen";
  }
  Record record() {
    const MutexLock lock(mutex_);
    return record_;
  }
  // The link of the n-th worker that joined, waiting for it.
  Joined WaitForWorker(size_t n = 0) {
    Wait([n](const Record& record) { return record.joined.size() > n; });
    return record().joined.at(n);
  }

  // A worker asked where to upload from, then began.
  void WaitForUpload() {
    Wait([](const Record& record) { return record.uploads >= 2; });
  }

  // ---- what the test lays out
  void RefuseJoins(const absl::Status& why) {
    const MutexLock lock(mutex_);
    join_status_ = why;
  }
  proto::BlobRef AddBlob(const std::string& bytes) {
    const std::string id = BlobIdOf(std::as_bytes(std::span(bytes)));
    const std::string path = folder_.Write(id, bytes);
    const MutexLock lock(mutex_);
    blobs_[id] = path;
    proto::BlobRef blob;
    blob.set_id(id);
    blob.set_size(bytes.size());
    return blob;
  }
  // Other bytes under a blob's name, as after damage on the disk.
  void ReplaceBlob(const std::string& id, const std::string& bytes) {
    folder_.Write(id, bytes);
  }
  std::string BlobPath(const std::string& id) { return folder_.File(id); }
  void AddLease(uint64_t lease) {
    const MutexLock lock(mutex_);
    leases_.insert(lease);
  }
  void DropLease(uint64_t lease) {
    const MutexLock lock(mutex_);
    leases_.erase(lease);
  }
  std::string SealedPath(const proto::BlobRef& output) const {
    return folder_.File("sealed-" + output.id());
  }
  std::string PartialPath(const proto::BlobRef& output) const {
    return folder_.File("partial-" + output.id());
  }

  // ---- driver::WorkerSessions
  absl::StatusOr<std::string> Join(
      const driver::WorkerIdentity& worker,
      std::shared_ptr<driver::WorkerLink> link) override {
    const MutexLock lock(mutex_);
    changed_.NotifyAll();
    if (!join_status_.ok()) return join_status_;
    for (const Joined& other : record_.joined) {
      if (other.worker.name != worker.name) continue;
      sessions_.erase(other.session);
      if (other.worker.incarnation < worker.incarnation) {
        other.link->Dismiss("replaced by a newer process");
      }
    }
    const std::string session = StrCat("session-", record_.joined.size());
    sessions_.insert(session);
    record_.joined.push_back({worker, std::move(link), session});
    return session;
  }
  void Leave(const std::string& session, const absl::Status& why) override {
    const MutexLock lock(mutex_);
    sessions_.erase(session);
    record_.left.push_back({session, why});
    changed_.NotifyAll();
  }
  void OnProgress(const std::string& /*session*/,
                  const Progress& progress) override {
    const MutexLock lock(mutex_);
    record_.progress.push_back(progress);
    changed_.NotifyAll();
  }
  void OnResult(const std::string& /*session*/, uint64_t lease,
                const proto::UnitResult& result) override {
    const MutexLock lock(mutex_);
    record_.results.push_back({lease, result});
    changed_.NotifyAll();
  }
  void OnFailure(const std::string& /*session*/, uint64_t lease,
                 const absl::Status& status) override {
    const MutexLock lock(mutex_);
    record_.failures.push_back({lease, status});
    changed_.NotifyAll();
  }
  absl::StatusOr<std::string> ReadableBlob(
      const std::string& session, const std::string& blob_id) override {
    const MutexLock lock(mutex_);
    if (!sessions_.contains(session)) return NoSession();
    record_.reads.push_back(blob_id);
    changed_.NotifyAll();
    const auto blob = blobs_.find(blob_id);
    if (blob != blobs_.end()) return blob->second;
    return absl::PermissionDeniedError("no lease names this blob");
  }
  absl::StatusOr<std::string> UploadPath(
      const std::string& session, uint64_t lease,
      const proto::BlobRef& output) override {
    const MutexLock lock(mutex_);
    if (!sessions_.contains(session)) return NoSession();
    if (!leases_.contains(lease)) {
      return absl::NotFoundError(StrCat("no lease ", lease));
    }
    ++record_.uploads;
    changed_.NotifyAll();
    return std::filesystem::exists(SealedPath(output)) ? SealedPath(output)
                                                       : PartialPath(output);
  }
  absl::Status SealUpload(const std::string& /*session*/, uint64_t /*lease*/,
                          const proto::BlobRef& output) override {
    const MutexLock lock(mutex_);
    ++record_.seals;
    changed_.NotifyAll();
    if (std::filesystem::exists(SealedPath(output))) return absl::OkStatus();
    const auto id = BlobIdOfFile(PartialPath(output));
    if (id.ok() && *id == output.id()) {
      std::filesystem::rename(PartialPath(output), SealedPath(output));
      return absl::OkStatus();
    }
    std::filesystem::remove(PartialPath(output));
    return absl::DataLossError("the output does not have its hash");
  }

 private:
  static absl::Status NoSession() {
    return absl::UnauthenticatedError("no such session");
  }

  const std::unique_ptr<Clock> clock_ = MakeRealClock();
  const TemporaryFolder folder_;
  Mutex mutex_;
  CondVar changed_;
  Record record_;
  absl::Status join_status_;
  std::set<std::string> sessions_;
  std::set<uint64_t> leases_;
  std::map<std::string, std::string> blobs_;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_COORDINATOR_SERVICE_FAKE_SESSIONS_H_
