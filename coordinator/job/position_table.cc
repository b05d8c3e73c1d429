#include "coordinator/job/position_table.h"

#include <utility>
#include <vector>

#include "common/base/strings.h"

namespace meanfield::job {
namespace {

constexpr Position kStart = {0, 1, 1};

// Is `path` the field `tree` or one below it?
bool Below(std::string_view path, std::string_view tree) {
  if (!path.starts_with(tree)) return false;
  if (path.size() == tree.size()) return true;
  const char next = path[tree.size()];
  return next == '.' || next == '[';
}

// "task[0].model" -> "task[0]" -> "task" -> "".
std::string_view Parent(std::string_view path) {
  const size_t end = path.find_last_of(".[");
  return end == std::string_view::npos ? "" : path.substr(0, end);
}

}  // namespace

std::string Member(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : StrCat(path, ".", name);
}

std::string Element(std::string_view path, int index) {
  return StrCat(path, "[", index, "]");
}

void PositionTable::Set(std::string_view path, Position name, Position value) {
  entries_.insert_or_assign(std::string(path), Entry{name, value});
}

void PositionTable::Erase(std::string_view path) {
  auto it = entries_.lower_bound(path);
  while (it != entries_.end() && it->first.starts_with(path)) {
    it = Below(it->first, path) ? entries_.erase(it) : std::next(it);
  }
}

void PositionTable::CopyTree(std::string_view from, std::string_view to) {
  std::vector<std::pair<std::string, Entry>> copies;
  for (auto it = entries_.lower_bound(from);
       it != entries_.end() && it->first.starts_with(from); ++it) {
    if (!Below(it->first, from)) continue;
    copies.emplace_back(
        StrCat(to, std::string_view(it->first).substr(from.size())),
        it->second);
  }
  for (auto& [path, entry] : copies) {
    entries_.insert_or_assign(std::move(path), entry);
  }
}

bool PositionTable::Contains(std::string_view path) const {
  return entries_.find(path) != entries_.end();
}

Position PositionTable::Name(std::string_view path) const {
  for (; !path.empty(); path = Parent(path)) {
    if (auto it = entries_.find(path); it != entries_.end()) {
      return it->second.name;
    }
  }
  return kStart;
}

Position PositionTable::Value(std::string_view path) const {
  auto it = entries_.find(path);
  return it == entries_.end() ? Name(path) : it->second.value;
}

void PositionTable::MarkAttempted(std::string_view path) {
  attempted_.emplace(path);
}

bool PositionTable::Attempted(std::string_view path) const {
  return attempted_.find(path) != attempted_.end();
}

}  // namespace meanfield::job
