#ifndef MEANFIELD_COORDINATOR_JOB_SCALAR_H_
#define MEANFIELD_COORDINATOR_JOB_SCALAR_H_

#include <string>

#include "coordinator/job/token.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace meanfield::job {

// "a whole number", "one of MEAN, SUM", …
std::string ExpectedValue(const google::protobuf::FieldDescriptor& field);

// Sets the scalar field (of a repeated one: adds an element) to the token's
// value. What is wrong with it, or empty. `negative`: a '-' stood before it.
std::string AssignScalar(google::protobuf::Message& message,
                         const google::protobuf::FieldDescriptor& field,
                         const Token& token, bool negative);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_SCALAR_H_
