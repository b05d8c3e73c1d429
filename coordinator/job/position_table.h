#ifndef MEANFIELD_COORDINATOR_JOB_POSITION_TABLE_H_
#define MEANFIELD_COORDINATOR_JOB_POSITION_TABLE_H_

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "coordinator/job/findings.h"

namespace meanfield::job {

// "task[0]" + "training" -> "task[0].training"; the root's path is "".
std::string Member(std::string_view path, std::string_view name);
// "task", 0 -> "task[0]". Elements of repeated fields always carry an index.
std::string Element(std::string_view path, int index);

// Where the fields of a job were written: what its messages do not remember.
class PositionTable {
 public:
  void Set(std::string_view path, Position name, Position value);
  // Forgets a field and all below it.
  void Erase(std::string_view path);
  // As if the fields below `from` were written a second time, below `to`.
  void CopyTree(std::string_view from, std::string_view to);

  bool Contains(std::string_view path) const;
  // Of the field's name or value; where the field was not written, of the
  // nearest message around it that was.
  Position Name(std::string_view path) const;
  Position Value(std::string_view path) const;

  // The user tried to give the field (or, for a message, something in it) but
  // a fault is in the way: a complaint that it is missing would mislead.
  void MarkAttempted(std::string_view path);
  bool Attempted(std::string_view path) const;

 private:
  struct Entry {
    Position name;
    Position value;
  };
  std::map<std::string, Entry, std::less<>> entries_;
  std::set<std::string, std::less<>> attempted_;
};

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_POSITION_TABLE_H_
