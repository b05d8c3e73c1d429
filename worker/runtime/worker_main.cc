// meanfield-worker: trains on one device what a coordinator leases to it.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stop_token>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "common/base/log.h"
#include "common/base/stop_signals.h"
#include "common/base/strings.h"
#include "common/base/version.h"
#include "common/rpc/address.h"
#include "common/time/real_clock.h"
#include "worker/runtime/parent.h"
#include "worker/runtime/worker.h"
#include "worker/torch/numerics.h"
#include "worker/torch/torch_trainer.h"

namespace meanfield {
namespace {

enum ExitCode { kDone = 0, kFailed = 1, kUsage = 2, kOutOfReach = 3 };

// A computation that does not stop when asked is ended by force.
constexpr unsigned kStopSeconds = 10;

struct Flags {
  WorkerOptions worker;
  std::string gpu;
  bool cpu = false;
  std::string give_up_after = "2m";
  uint64_t cache_mb = 4096;
  int64_t parent_pid = 0;
};

void Describe(CLI::App& app, Flags& flags) {
  app.description(
      "Trains and evaluates on one device what a coordinator asks for.");
  app.footer(
      "Examples:\n"
      "  meanfield-worker --coordinator 127.0.0.1:7070 --gpu 0\n"
      "  srun meanfield-worker --coordinator head:7070 --gpu 0 "
      "--give-up-after 10m\n\n"
      "A worker may be killed, moved and added at any time; it holds nothing "
      "that a run needs.\n"
      "Exit codes: 0 dismissed or stopped by a signal, 1 failed, 2 bad usage, "
      "3 the coordinator was out of reach.");
  app.set_version_flag("--version", "meanfield-worker " + VersionAndCommit() +
                                        ", LibTorch " + LibTorchVersion());
  app.add_option("--coordinator", flags.worker.coordinator,
                 "Address of the coordinator, host:port")
      ->required();
  auto* const gpu = app.add_option(
      "--gpu,--gpu-id", flags.gpu,
      "GPU to use: its number within CUDA_VISIBLE_DEVICES, or its UUID");
  app.add_flag("--cpu", flags.cpu, "Use one CPU core (the default)")
      ->excludes(gpu);
  app.add_option("--name", flags.worker.name,
                 "Stable name; a newer process of the same name replaces an "
                 "older one. Default: host, device and process id");
  app.add_option("--work-folder", flags.worker.work_folder,
                 "Where to make a folder for data, removed at the end. "
                 "Default: TMPDIR or /tmp");
  app.add_option("--cache-mb", flags.cache_mb,
                 "Disk for data that may be used again")
      ->capture_default_str();
  app.add_option("--give-up-after", flags.give_up_after,
                 "End when the coordinator was out of reach for so long, for "
                 "example 10s or 5m")
      ->capture_default_str();
  app.add_option("--parent-pid", flags.parent_pid,
                 "End when this process, which started the worker, ends")
      ->check(CLI::PositiveNumber);
}

// "90" are seconds.
bool ParseGiveUpAfter(const std::string& text, absl::Duration& duration) {
  double seconds = 0;
  if (absl::SimpleAtod(text, &seconds)) {
    duration = absl::Seconds(seconds);
    return duration > absl::ZeroDuration();
  }
  return absl::ParseDuration(text, &duration) &&
         duration > absl::ZeroDuration();
}

// An empty string, or what is wrong.
std::string Complete(Flags& flags) {
  if (!ParseGiveUpAfter(flags.give_up_after, flags.worker.give_up_after)) {
    return "--give-up-after \"" + flags.give_up_after +
           "\" is not a positive duration like 10s or 5m";
  }
  const auto address = rpc::ParseAddress(flags.worker.coordinator);
  if (!address.ok()) {
    return "--coordinator " + std::string(address.status().message());
  }
  if (address->port == 0) return "--coordinator needs a port other than 0";
  constexpr uint64_t kMaxMb = uint64_t{1} << 40;
  if (flags.cache_mb > kMaxMb) return "--cache-mb is too large";
  flags.worker.cache_bytes = flags.cache_mb << 20;
  return "";
}

int Fail(std::string_view message, ExitCode code) {
  std::fprintf(stderr, "meanfield-worker: %s\n", std::string(message).c_str());
  return code;
}

int Fail(const absl::Status& status) {
  const ExitCode code = absl::IsUnavailable(status)          ? kOutOfReach
                        : absl::IsFailedPrecondition(status) ? kUsage
                                                             : kFailed;
  return Fail(StdView(status.message()), code);
}

int Work(Flags& flags) {
  std::stop_source stop;
  const StopSignals signals([&](int count) {
    if (count > 1) _exit(kFailed);
    alarm(kStopSeconds);
    stop.request_stop();
  });
  if (flags.parent_pid != 0) {
    const absl::Status tied = EndWithParent(flags.parent_pid);
    if (!tied.ok()) return Fail(tied);
  }
  const std::unique_ptr<Clock> clock = MakeRealClock();
  DeviceChoice device;
  if (!flags.gpu.empty()) device.gpu = flags.gpu;
  const auto trainer = MakeTorchTrainer(device, *clock);
  if (!trainer.ok()) return Fail(trainer.status());
  flags.worker.clock = clock.get();
  const absl::Status ended =
      RunWorker(flags.worker, **trainer, stop.get_token());
  if (ended.ok() || stop.stop_requested()) return kDone;
  return absl::IsFailedPrecondition(ended)
             ? Fail(StdView(ended.message()), kFailed)
             : Fail(ended);
}

int Main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app;
  Flags flags;
  Describe(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUsage;
  }
  if (const std::string fault = Complete(flags); !fault.empty()) {
    return Fail(fault, kUsage);
  }
  // May start this program again, so nothing is set up before.
  if (const absl::Status pinned = PinNumerics(argv); !pinned.ok()) {
    return Fail(StdView(pinned.message()), kFailed);
  }
  if (const absl::Status log = ConfigureLog({.program = "meanfield-worker"});
      !log.ok()) {
    return Fail(StdView(log.message()), kFailed);
  }
  return Work(flags);
}

}  // namespace
}  // namespace meanfield

int main(int argc, char** argv) { return meanfield::Main(argc, argv); }
