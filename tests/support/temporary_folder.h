#ifndef MEANFIELD_TESTS_SUPPORT_TEMPORARY_FOLDER_H_
#define MEANFIELD_TESTS_SUPPORT_TEMPORARY_FOLDER_H_

#include <string>
#include <string_view>

namespace meanfield::testing {

// A fresh folder, removed with everything in it at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string File(std::string_view name) const;
  // Writes a file (and the folders above it); its path.
  std::string Write(std::string_view name, std::string_view bytes) const;

 private:
  std::string path_;
};

// The whole file; fails the test where it cannot be read.
std::string ReadFile(const std::string& path);

// Folder of the corpora and golden numbers beside the project
// (MEANFIELD_SHARED, or ../shared of the source folder); empty where absent:
// tests then GTEST_SKIP() with a message.
std::string SharedFolder();

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_SUPPORT_TEMPORARY_FOLDER_H_
