#ifndef MEANFIELD_TESTS_LAYERING_SOURCE_TREE_H_
#define MEANFIELD_TESTS_LAYERING_SOURCE_TREE_H_

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace meanfield::layering {

using Lines = std::vector<std::string>;
// Path from the top of the repository -> its lines.
using SourceTree = std::map<std::string, Lines>;

inline Lines ReadLines(const std::filesystem::path& path) {
  std::ifstream in(path);
  Lines lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Files below the named folders whose names end in one of `endings`.
inline SourceTree ReadTree(const std::filesystem::path& root,
                           const std::vector<std::string>& folders,
                           const std::vector<std::string>& endings) {
  namespace fs = std::filesystem;
  SourceTree tree;
  for (const std::string& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = entry.path().lexically_relative(root).string();
      const bool wanted = std::any_of(
          endings.begin(), endings.end(),
          [&](const std::string& ending) { return path.ends_with(ending); });
      if (entry.is_regular_file() && wanted) tree[path] = ReadLines(entry);
    }
  }
  return tree;
}

inline SourceTree ReadSources(const std::filesystem::path& root) {
  return ReadTree(root, {"common", "coordinator", "worker"},
                  {".h", ".cc", ".cu", ".cuh"});
}

// "coordinator/round/round.h" -> "coordinator/round".
inline std::string RoomOf(const std::string& path) {
  const size_t first = path.find('/');
  return path.substr(0, path.find('/', first + 1));
}

struct Include {
  size_t line = 0;  // from 1
  std::string path;
};

inline std::vector<Include> IncludesOf(const Lines& lines) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<Include> includes;
  std::smatch match;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with('#')) continue;
    if (std::regex_search(lines[i], match, kInclude)) {
      includes.push_back({i + 1, match[1]});
    }
  }
  return includes;
}

}  // namespace meanfield::layering

#endif  // MEANFIELD_TESTS_LAYERING_SOURCE_TREE_H_
