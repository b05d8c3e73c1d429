#ifndef MEANFIELD_COORDINATOR_CORPUS_FAULT_LIST_H_
#define MEANFIELD_COORDINATOR_CORPUS_FAULT_LIST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace meanfield::corpus {

// The bad lines of one file: the first few in words, the rest counted.
class FaultList {
 public:
  struct Fault {
    uint64_t line = 0;  // from 1
    std::string what;   // "saw …, expected …"
  };
  static constexpr size_t kKept = 10;

  void Add(uint64_t line, std::string what);
  void Add(const FaultList& other);

  bool empty() const { return count_ == 0; }
  uint64_t count() const { return count_; }
  // In the order of lines.
  const std::vector<Fault>& kept() const { return kept_; }

  // OK where empty, else INVALID_ARGUMENT: "file:line: what", one a line.
  absl::Status ToStatus(std::string_view file) const;

 private:
  std::vector<Fault> kept_;
  uint64_t count_ = 0;
};

// A piece of a corpus for a message: in double quotes, control characters
// escaped, cut when long.
std::string Quoted(std::string_view text);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_FAULT_LIST_H_
