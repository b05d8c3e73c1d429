#ifndef MEANFIELD_COORDINATOR_CLI_EARLIER_RUN_H_
#define MEANFIELD_COORDINATOR_CLI_EARLIER_RUN_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/job/job.h"
#include "proto/record.pb.h"

namespace meanfield::cli {

// The run of an output folder that `meanfield train` made, to go on with. No
// coordinator may be at work in the folder meanwhile.
class EarlierRun {
 public:
  // INVALID_ARGUMENT where there is no run in the folder.
  static absl::StatusOr<EarlierRun> Find(const std::string& out_folder);

  const std::string& out_folder() const { return out_folder_; }
  const std::string& id() const { return record_.id(); }
  // The job that it began with, as a source: paths are absolute.
  job::JobSource Source() const;
  uint32_t shards() const { return record_.job().shards(); }
  // Makes it ready: the next coordinator on the folder goes on with it.
  absl::Status Reopen(const proto::JobSpec& job) const;

 private:
  EarlierRun(std::string out_folder, proto::RunRecord record)
      : out_folder_(std::move(out_folder)), record_(std::move(record)) {}

  std::string out_folder_;
  proto::RunRecord record_;
};

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_EARLIER_RUN_H_
