#ifndef MEANFIELD_COORDINATOR_CLI_CLIENT_COMMANDS_H_
#define MEANFIELD_COORDINATOR_CLI_CLIENT_COMMANDS_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "coordinator/cli/exit_code.h"
#include "proto/event.pb.h"

namespace meanfield::cli {

// Work with a running coordinator. Each command prints to standard output, or
// why not to standard error, and returns an exit code; `json` gives the same
// for programs.
struct ClientOptions {
  std::string coordinator;  // host:port
  bool json = false;
};

struct SubmitOptions {
  ClientOptions client;
  std::string job;                     // path
  std::vector<std::string> overrides;  // --set
  std::string corpus_root;             // empty: the job file's folder
  bool watch = false;
};
int RunSubmit(const SubmitOptions& options);

int RunWatchCommand(const ClientOptions& client, const std::string& run);
int RunList(const ClientOptions& client);
int RunWorkers(const ClientOptions& client);
int RunShow(const ClientOptions& client, const std::string& run);
int RunExport(const ClientOptions& client, const std::string& run,
              const std::string& out);
int RunCancel(const ClientOptions& client, const std::string& run,
              const std::string& reason);

// What a watched run's end means for the exit code.
ExitCode ExitCodeOf(const proto::RunEvent::Ended& ended);
// What a refused or failed call means for it.
ExitCode ExitCodeOf(const absl::Status& status);

// Registers submit, watch, runs, show, export, cancel and workers.
void AddClientCommands(CLI::App& app, int& exit_code);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_CLIENT_COMMANDS_H_
