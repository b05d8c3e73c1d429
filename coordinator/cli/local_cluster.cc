#include "coordinator/cli/local_cluster.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/status.h"
#include "common/time/real_clock.h"

namespace meanfield::cli {

namespace {

// The coordinator is this process: when it is out of reach it is dead, and the
// kernel ends the workers anyway.
constexpr char kGiveUpAfter[] = "20s";
constexpr absl::Duration kFarewell = absl::Seconds(5);

std::vector<WorkerCommand> Addressed(std::vector<WorkerCommand> commands,
                                     const std::string& coordinator,
                                     const std::string& work_folder) {
  for (WorkerCommand& command : commands) {
    for (const std::string& argument :
         {std::string("--coordinator"), coordinator, std::string("--name"),
          command.name, std::string("--give-up-after"),
          std::string(kGiveUpAfter), std::string("--parent-pid"),
          absl::StrCat(getpid()), std::string("--work-folder"), work_folder}) {
      command.arguments.push_back(argument);
    }
  }
  return commands;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LocalCluster>> LocalCluster::Start(
    Options options) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string program, FindWorkerProgram());
  std::unique_ptr<LocalCluster> cluster(new LocalCluster());
  cluster->clock_ = MakeRealClock();
  MEANFIELD_ASSIGN_OR_RETURN(
      cluster->coordinator_,
      driver::Coordinator::Create({.state_dir = options.state_folder,
                                   .clock = cluster->clock_.get(),
                                   .fold_device = options.fold_device}));
  MEANFIELD_ASSIGN_OR_RETURN(
      cluster->server_,
      service::Server::Start(*cluster->coordinator_,
                             {.clock = cluster->clock_.get()}));
  MEANFIELD_ASSIGN_OR_RETURN(ScratchFolder work_folder,
                             ScratchFolder::CreateIn(options.state_folder));
  cluster->work_folder_.emplace(std::move(work_folder));
  MEANFIELD_ASSIGN_OR_RETURN(
      cluster->workers_,
      WorkerProcesses::Start(
          program,
          Addressed(std::move(options.workers), cluster->server_->address(),
                    cluster->work_folder_->path()),
          options.worker_log_folder, *cluster->clock_,
          std::move(options.worker_ended)));
  return cluster;
}

LocalCluster::~LocalCluster() {
  if (server_ != nullptr) server_->DismissWorkers("the command has ended");
  if (workers_ != nullptr) workers_->WaitForAll(kFarewell);
}

}  // namespace meanfield::cli
