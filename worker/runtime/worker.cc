#include "worker/runtime/worker.h"

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/rpc/address.h"
#include "common/rpc/grpc_status.h"
#include "common/rpc/protocol.h"
#include "common/time/real_clock.h"
#include "worker/runtime/blob_cache.h"
#include "worker/runtime/connection.h"
#include "worker/runtime/heartbeat.h"
#include "worker/runtime/lease_desk.h"
#include "worker/runtime/unit_loop.h"
#include "worker/runtime/work_folder.h"

namespace meanfield {
namespace {

std::string HostName() {
  std::vector<char> name(256, '\0');
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

proto::Hello MakeHello(const WorkerOptions& options,
                       const LocalTrainer& trainer, Clock& clock) {
  const std::string host = HostName();
  const std::string device = trainer.device();
  // "cuda:0 NVIDIA H100 …" is known by its first word.
  const std::string name =
      !options.name.empty()
          ? options.name
          : StrCat(host, ":", device.substr(0, device.find(' ')), ":",
                   getpid());
  proto::Hello hello;
  hello.set_protocol_version(rpc::kProtocolVersion);
  hello.set_worker(rpc::Utf8Prefix(name, rpc::kMaxNameBytes));
  hello.set_incarnation(
      static_cast<uint64_t>(absl::ToUnixNanos(clock.WallNow())));
  hello.set_device(rpc::Utf8Prefix(device, rpc::kMaxNameBytes));
  hello.set_numerics_class(
      rpc::Utf8Prefix(trainer.numerics_class(), rpc::kMaxNameBytes));
  hello.set_host(rpc::Utf8Prefix(host, rpc::kMaxNameBytes));
  hello.set_pid(getpid());
  return hello;
}

}  // namespace

absl::Status RunWorker(const WorkerOptions& options, LocalTrainer& trainer,
                       std::stop_token stop) {
  MEANFIELD_RETURN_IF_ERROR(rpc::ParseAddress(options.coordinator).status());
  MEANFIELD_ASSIGN_OR_RETURN(const WorkFolder folder,
                             WorkFolder::Create(options.work_folder));
  Log(LogLevel::kInfo, "worker_starts",
      {{"coordinator", options.coordinator},
       {"device", trainer.device()},
       {"numerics_class", trainer.numerics_class()},
       {"work_folder", folder.File("")}});
  rpc::RouteGrpcLog();
  const std::unique_ptr<Clock> own_clock =
      options.clock == nullptr ? MakeRealClock() : nullptr;
  Clock& clock = options.clock == nullptr ? *own_clock : *options.clock;

  LeaseDesk desk;
  const std::stop_callback end(stop, [&] {
    desk.OnEnd(absl::CancelledError("the worker was stopped"));
  });
  Connection connection({.address = options.coordinator,
                         .hello = MakeHello(options, trainer, clock),
                         .give_up_after = options.give_up_after,
                         .keepalive = options.keepalive},
                        clock, desk);
  MEANFIELD_ASSIGN_OR_RETURN(
      BlobCache cache,
      BlobCache::Open(folder.File("blobs"), options.cache_bytes, connection));
  const Heartbeat heartbeat(connection, desk);
  return UnitLoop(trainer, folder, cache, connection, desk).Run();
}

}  // namespace meanfield
