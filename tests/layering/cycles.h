#ifndef MEANFIELD_TESTS_LAYERING_CYCLES_H_
#define MEANFIELD_TESTS_LAYERING_CYCLES_H_

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace meanfield::layering {

using Graph = std::map<std::string, std::set<std::string>>;

// A cycle as "a -> b -> a"; empty where there is none.
class CycleSearch {
 public:
  explicit CycleSearch(const Graph& graph) : graph_(graph) {
    for (const auto& [node, next] : graph_) {
      if (cycle_.empty()) Visit(node);
    }
  }
  const std::string& cycle() const { return cycle_; }

 private:
  void Visit(const std::string& node) {
    const auto seen = std::find(path_.begin(), path_.end(), node);
    if (seen != path_.end()) {
      for (auto it = seen; it != path_.end(); ++it) cycle_ += *it + " -> ";
      cycle_ += node;
      return;
    }
    if (!done_.insert(node).second) return;
    path_.push_back(node);
    const auto next = graph_.find(node);
    if (next != graph_.end()) {
      for (const std::string& other : next->second) {
        if (cycle_.empty()) Visit(other);
      }
    }
    path_.pop_back();
  }

  const Graph& graph_;
  std::vector<std::string> path_;
  std::set<std::string> done_;
  std::string cycle_;
};

}  // namespace meanfield::layering

#endif  // MEANFIELD_TESTS_LAYERING_CYCLES_H_
