#ifndef MEANFIELD_COORDINATOR_CLI_TERMINAL_H_
#define MEANFIELD_COORDINATOR_CLI_TERMINAL_H_

namespace meanfield::cli {

// Width of the terminal on standard output; 80 where there is none.
int TerminalColumns();

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_TERMINAL_H_
