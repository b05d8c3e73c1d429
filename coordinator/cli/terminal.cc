#include "coordinator/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace meanfield::cli {

int TerminalColumns() {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace meanfield::cli
