#include "coordinator/job/schema.h"

#include <cstddef>
#include <map>

#include "coordinator/job/position_table.h"
#include "proto/job.pb.h"

namespace meanfield::job {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr size_t kMaxHomes = 3;

using Homes = std::map<std::string, std::vector<std::string>, std::less<>>;

// job.proto is not recursive.
void Collect(const Descriptor& type, const std::string& path, Homes& homes) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    homes[field.name()].push_back(path.empty() ? "the job itself" : path);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Collect(*field.message_type(), Member(path, field.name()), homes);
    }
  }
}

const Homes& AllHomes() {
  static const Homes& homes = *[] {
    auto* collected = new Homes;
    Collect(*proto::JobSpec::descriptor(), "", *collected);
    return collected;
  }();
  return homes;
}

}  // namespace

std::vector<std::string> FieldNames(const Descriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.field_count(); ++i) {
    names.push_back(type.field(i)->name());
  }
  return names;
}

std::vector<std::string> MemberNames(
    const google::protobuf::OneofDescriptor& oneof) {
  std::vector<std::string> names;
  for (int i = 0; i < oneof.field_count(); ++i) {
    names.push_back(oneof.field(i)->name());
  }
  return names;
}

std::vector<std::string> HomesOf(std::string_view field_name) {
  const auto it = AllHomes().find(field_name);
  if (it == AllHomes().end()) return {};
  std::vector<std::string> homes = it->second;
  if (homes.size() > kMaxHomes) homes.resize(kMaxHomes);
  return homes;
}

}  // namespace meanfield::job
