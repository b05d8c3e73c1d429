#include "tests/support/temporary_folder.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/base/check.h"
#include "gtest/gtest.h"

namespace meanfield::testing {

namespace fs = std::filesystem;

namespace {

// Memory where there is enough: the many syncs of whole runs cost nothing then.
fs::path Place() {
  constexpr uintmax_t kEnough = uintmax_t{2} << 30;
  const fs::path memory = "/dev/shm";
  std::error_code error;
  const fs::space_info space = fs::space(memory, error);
  const bool usable = !error && space.available > kEnough &&
                      access(memory.c_str(), W_OK) == 0 &&
                      std::getenv("TMPDIR") == nullptr;
  return usable ? memory : fs::temp_directory_path();
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (Place() / "meanfield-test-XXXXXX").string();
  MEANFIELD_CHECK(mkdtemp(pattern.data()) != nullptr, pattern);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::File(std::string_view name) const {
  return (fs::path(path_) / name).string();
}

std::string TemporaryFolder::Write(std::string_view name,
                                   std::string_view bytes) const {
  const fs::path path = fs::path(path_) / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
  return path.string();
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << "cannot read " << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string SharedFolder() {
  const char* named = std::getenv("MEANFIELD_SHARED");
  const fs::path folder =
      named != nullptr ? fs::path(named)
                       : fs::path(MEANFIELD_SOURCE_DIR) / ".." / "shared";
  return fs::is_directory(folder / "corpora") ? fs::canonical(folder).string()
                                              : "";
}

}  // namespace meanfield::testing
