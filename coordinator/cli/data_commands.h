#ifndef MEANFIELD_COORDINATOR_CLI_DATA_COMMANDS_H_
#define MEANFIELD_COORDINATOR_CLI_DATA_COMMANDS_H_

#include "CLI/CLI.hpp"

namespace meanfield::cli {

// Registers init and corpus.
void AddDataCommands(CLI::App& app, int& exit_code);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_DATA_COMMANDS_H_
