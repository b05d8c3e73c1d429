#ifndef MEANFIELD_COORDINATOR_SERVICE_OPEN_UPLOADS_H_
#define MEANFIELD_COORDINATOR_SERVICE_OPEN_UPLOADS_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "common/base/mutex.h"
#include "grpcpp/server_context.h"

namespace meanfield::service {

// Which file is written by which call: one at a time. A worker that comes back
// before its broken stream was noticed finds its file taken; the old call is
// then cancelled, and the next try succeeds. Thread-safe.
class OpenUploads {
 public:
  // ABORTED where another call has the file. The context must live until
  // Release.
  absl::Status Claim(const std::string& path,
                     grpc::CallbackServerContext* holder);
  // Does nothing where `holder` does not have it.
  void Release(const std::string& path, grpc::CallbackServerContext* holder);

 private:
  Mutex mutex_;
  std::map<std::string, grpc::CallbackServerContext*> holders_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_OPEN_UPLOADS_H_
