#ifndef MEANFIELD_COMMON_BASE_VERSION_H_
#define MEANFIELD_COMMON_BASE_VERSION_H_

#include <string>

namespace meanfield {

// "0.1.0"
std::string Version();

// "0.1.0 (commit 8a5a1190)", without the commit where the build knew none.
std::string VersionAndCommit();

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_BASE_VERSION_H_
