#ifndef MEANFIELD_TESTS_LAYERING_INCLUDE_TABLE_H_
#define MEANFIELD_TESTS_LAYERING_INCLUDE_TABLE_H_

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/layering/source_tree.h"

namespace meanfield::layering {

// Beginnings of header names -> library; the first that fits counts.
inline constexpr std::pair<std::string_view, std::string_view> kLibraries[] = {
    {"absl/", "absl"},
    {"spdlog/", "spdlog"},
    {"fmt/", "spdlog"},
    {"nlohmann/", "nlohmann"},
    {"grpcpp/", "grpc"},
    {"grpc/", "grpc"},
    {"google/protobuf/", "protobuf"},
    {"torch/", "torch"},
    {"ATen/", "torch"},
    {"c10/", "torch"},
    {"SQLiteCpp/", "sqlite"},
    {"sqlite3.h", "sqlite"},
    {"CLI/", "cli11"},
    {"xxh3.h", "xxhash"},
    {"xxhash.h", "xxhash"},
    {"utf8proc.h", "utf8proc"},
    {"cuda", "cuda"},
    {"nvml.h", "cuda"},
    {"sys/", "system"},
    {"linux/", "system"},
    {"netinet/", "system"},
    {"arpa/", "system"},
};

// What an include counts as in the table: a room, "proto/job", a library,
// "system" (the standard library, too); empty where it is none of these.
inline std::string ItemOf(const std::string& include) {
  for (const std::string_view top : {"common/", "coordinator/", "worker/"}) {
    if (include.starts_with(top)) return RoomOf(include);
  }
  if (include.starts_with("proto/")) {
    if (include.ends_with(".grpc.pb.h")) return "grpc";
    return include.substr(0, include.find('.'));
  }
  for (const auto& [beginning, library] : kLibraries) {
    if (include.starts_with(beginning)) return std::string(library);
  }
  return include.find('/') == std::string::npos ? "system" : "";
}

// rooms.txt: room or file -> what it may include.
class IncludeTable {
 public:
  explicit IncludeTable(const Lines& lines) {
    for (const std::string& line : lines) {
      const size_t colon = line.find(": ");
      if (line.starts_with('#') || colon == std::string::npos) continue;
      std::istringstream items(line.substr(colon + 1));
      std::set<std::string>& allowed = allowed_[line.substr(0, colon)];
      for (std::string item; items >> item;) allowed.insert(item);
    }
  }

  bool HasRoom(const std::string& room) const {
    return allowed_.contains(room);
  }
  // Rooms of the table without a file.
  std::vector<std::string> Strangers(const SourceTree& tree) const {
    std::vector<std::string> strangers;
    for (const auto& [key, items] : allowed_) {
      const auto at = tree.lower_bound(key);
      if (at == tree.end() || !at->first.starts_with(key)) {
        strangers.push_back(key);
      }
    }
    return strangers;
  }
  bool Allows(const std::string& file, const std::string& include) const {
    const std::string item = ItemOf(include);
    if (item == "system" || item == RoomOf(file)) return true;
    for (const std::string& key : {RoomOf(file), file}) {
      const auto it = allowed_.find(key);
      if (it != allowed_.end() && Lists(it->second, item, include)) return true;
    }
    return false;
  }
  std::string Describe(const std::string& room) const {
    std::string text;
    const auto it = allowed_.find(room);
    if (it == allowed_.end()) return text;
    for (const std::string& item : it->second) text += " " + item;
    return text;
  }

 private:
  static bool Lists(const std::set<std::string>& items, const std::string& item,
                    const std::string& include) {
    static const std::set<std::string> kCommon = {
        "common/base", "common/time",  "common/tensor",
        "common/blob", "common/model", "common/metric"};
    return items.contains(item) || items.contains(include) ||
           (kCommon.contains(item) && items.contains("common/*")) ||
           (item.starts_with("proto/") && items.contains("proto/*"));
  }

  std::map<std::string, std::set<std::string>> allowed_;
};

// One line per include that the table forbids.
inline std::vector<std::string> ForbiddenIncludes(const SourceTree& tree,
                                                  const IncludeTable& table) {
  std::vector<std::string> faults;
  for (const auto& [file, lines] : tree) {
    const std::string room = RoomOf(file);
    if (!table.HasRoom(room)) {
      faults.push_back(file + ": the room " + room + " is not in rooms.txt");
      continue;
    }
    for (const Include& include : IncludesOf(lines)) {
      if (table.Allows(file, include.path)) continue;
      faults.push_back(file + ":" + std::to_string(include.line) +
                       ": includes \"" + include.path + "\"; " + room +
                       " may include:" + table.Describe(room));
    }
  }
  return faults;
}

// Items that a file includes, by itself or through headers of this tree.
inline void CollectItems(const SourceTree& tree, const std::string& file,
                         std::set<std::string>& visited,
                         std::set<std::string>& items) {
  const auto it = tree.find(file);
  if (it == tree.end() || !visited.insert(file).second) return;
  for (const Include& include : IncludesOf(it->second)) {
    items.insert(ItemOf(include.path));
    CollectItems(tree, include.path, visited, items);
  }
}

// LibTorch's include folder holds other versions of protobuf and fmt.
inline std::vector<std::string> TorchClashes(const SourceTree& tree) {
  std::vector<std::string> faults;
  for (const auto& [file, lines] : tree) {
    std::set<std::string> visited;
    std::set<std::string> items;
    CollectItems(tree, file, visited, items);
    if (!items.contains("torch")) continue;
    for (const std::string& item : items) {
      const bool clashes = item == "grpc" || item == "protobuf" ||
                           item == "spdlog" || item.starts_with("proto/");
      if (clashes) faults.push_back(file + ": includes torch and " + item);
    }
  }
  return faults;
}

}  // namespace meanfield::layering

#endif  // MEANFIELD_TESTS_LAYERING_INCLUDE_TABLE_H_
