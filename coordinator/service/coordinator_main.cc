// meanfield-coordinator: the service that trains what is submitted to it.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "common/base/log.h"
#include "common/base/mutex.h"
#include "common/base/stop_signals.h"
#include "common/base/strings.h"
#include "common/base/version.h"
#include "common/time/real_clock.h"
#include "coordinator/driver/coordinator.h"
#include "coordinator/service/server.h"

namespace meanfield {
namespace {

enum ExitCode { kDone = 0, kFailed = 1, kUsage = 2 };

struct Flags {
  std::string listen = "127.0.0.1:7070";
  std::string state;
  std::vector<std::string> corpus_roots;
  bool insecure = false;
  std::string fold_device = "cpu";
};

void Describe(CLI::App& app, Flags& flags) {
  app.description(
      "Trains the jobs that `meanfield submit` sends, on the workers that "
      "connect.");
  app.footer(
      "Example:\n"
      "  meanfield-coordinator --state /var/lib/meanfield \\\n"
      "      --corpus-root /srv/corpora\n"
      "  meanfield-worker --coordinator 127.0.0.1:7070 --gpu 0\n"
      "  meanfield submit job.textproto --coordinator 127.0.0.1:7070\n\n"
      "Exit codes: 0 stopped by SIGTERM or SIGINT, 1 failed, 2 bad usage.\n"
      "Runs that a stop or a crash cuts off are kept as STARVED.");
  app.set_version_flag("--version",
                       "meanfield-coordinator " + VersionAndCommit());
  app.add_option("--listen", flags.listen,
                 "Address for workers and clients, host:port; port 0 picks a "
                 "free one")
      ->capture_default_str();
  app.add_option("--state", flags.state,
                 "Folder of records and models, on a local disk; made where it "
                 "is missing")
      ->required();
  app.add_option("--corpus-root", flags.corpus_roots,
                 "Folder below which submitted jobs may name corpora; may be "
                 "repeated. Default: the folder it is started in")
      ->check(CLI::ExistingDirectory);
  app.add_flag("--insecure", flags.insecure,
               "Listen beyond loopback although nothing is encrypted and "
               "nobody is authenticated");
  app.add_option("--fold-device", flags.fold_device,
                 "Where models are averaged; the results are the same")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
}

// Waits for the first signal; a second one ends the process at once.
class StopRequest {
 public:
  StopRequest() : signals_([this](int count) { OnSignal(count); }) {}

  void Wait() {
    const MutexLock lock(mutex_);
    while (!requested_) changed_.Wait(mutex_);
  }

 private:
  void OnSignal(int count) {
    if (count > 1) _exit(kFailed);
    const MutexLock lock(mutex_);
    requested_ = true;
    changed_.NotifyAll();
  }

  Mutex mutex_;
  CondVar changed_;
  bool requested_ ABSL_GUARDED_BY(mutex_) = false;
  StopSignals signals_;  // last: uses the others
};

// Jobs are submitted by others: they must not reach every file of the host.
absl::Status CompleteRoots(Flags& flags) {
  if (!flags.corpus_roots.empty()) return absl::OkStatus();
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error || here == here.root_path()) {
    return absl::InvalidArgumentError(
        "started in the root folder, so --corpus-root must say where "
        "submitted jobs may name corpora");
  }
  flags.corpus_roots.push_back(here.string());
  return absl::OkStatus();
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "meanfield-coordinator: %s\n",
               std::string(status.message()).c_str());
  return absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status)
             ? kUsage
             : kFailed;
}

int Serve(const Flags& flags) {
  StopRequest stop;
  const std::unique_ptr<Clock> clock = MakeRealClock();
  driver::Coordinator::Options options;
  options.state_dir = flags.state;
  options.clock = clock.get();
  options.fold_device = flags.fold_device == "cuda"
                            ? aggregate::FoldDevice::kCuda
                            : aggregate::FoldDevice::kCpu;
  options.corpus_roots = flags.corpus_roots;
  if (const absl::Status there =
          aggregate::FoldDeviceIsThere(options.fold_device);
      !there.ok()) {
    return Fail(there);
  }
  const auto coordinator = driver::Coordinator::Create(std::move(options));
  if (!coordinator.ok()) return Fail(coordinator.status());
  auto server =
      service::Server::Start(**coordinator, {.listen = flags.listen,
                                             .insecure = flags.insecure,
                                             .clock = clock.get()});
  if (!server.ok()) return Fail(server.status());
  std::printf("listening on %s\n", (*server)->address().c_str());
  std::fflush(stdout);
  stop.Wait();
  Log(LogLevel::kInfo, "stopping", {{"reason", "a signal asked for it"}});
  server->reset();  // before the coordinator
  return kDone;
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
  if (const absl::Status status =
          ConfigureLog({.program = "meanfield-coordinator"});
      !status.ok()) {
    return Fail(status);
  }
  if (const absl::Status roots = CompleteRoots(flags); !roots.ok()) {
    return Fail(roots);
  }
  return Serve(flags);
}

}  // namespace
}  // namespace meanfield

int main(int argc, char** argv) { return meanfield::Main(argc, argv); }
