#ifndef MEANFIELD_COORDINATOR_JOB_SCHEMA_H_
#define MEANFIELD_COORDINATOR_JOB_SCHEMA_H_

#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/descriptor.h"

namespace meanfield::job {

// Names of a message's fields, in the order of job.proto.
std::vector<std::string> FieldNames(const google::protobuf::Descriptor& type);

// Names of the fields of a oneof.
std::vector<std::string> MemberNames(
    const google::protobuf::OneofDescriptor& oneof);

// Where in a job a field of this name belongs: "task.training", "stop", …; at
// most three.
std::vector<std::string> HomesOf(std::string_view field_name);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_SCHEMA_H_
