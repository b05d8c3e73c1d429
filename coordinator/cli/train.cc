#include "coordinator/cli/train.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/base/stop_signals.h"
#include "common/time/real_clock.h"
#include "coordinator/cli/dry_run.h"
#include "coordinator/cli/earlier_run.h"
#include "coordinator/cli/exit_code.h"
#include "coordinator/cli/local_cluster.h"
#include "coordinator/cli/out_folder.h"
#include "coordinator/cli/progress_view.h"
#include "coordinator/cli/run_watch.h"
#include "coordinator/cli/terminal.h"
#include "coordinator/job/job.h"
#include "coordinator/report/report.h"

namespace meanfield::cli {

namespace {

int Fail(const absl::Status& status, ExitCode code) {
  std::fprintf(stderr, "meanfield train: %s\n",
               std::string(status.message()).c_str());
  return code;
}

// The job as the run will see it, and the devices it goes to.
struct Prepared {
  job::JobSource source;
  proto::JobSpec job;
  std::vector<std::string> warnings;
  std::vector<WorkerCommand> workers;
};

// `warnings`: those of the job, to which a run adds the corpus's.
absl::StatusOr<proto::JobSpec> Load(const job::JobSource& source,
                                    std::vector<std::string>& warnings) {
  job::JobResult result = job::LoadJob(source);
  warnings = result.warnings;
  return job::ToStatusOr(std::move(result));
}

std::vector<std::string> GpusOf(const proto::JobSpec& job) {
  std::vector<std::string> gpus;
  for (const uint32_t id : job.gpus()) gpus.push_back(absl::StrCat(id));
  return gpus;
}

// A CPU worker would refuse each unit.
absl::Status CheckPrecision(const Prepared& prepared) {
  const bool cpu = std::any_of(
      prepared.workers.begin(), prepared.workers.end(), [](const auto& worker) {
        return std::count(worker.arguments.begin(), worker.arguments.end(),
                          "--cpu") > 0;
      });
  for (const proto::Task& task : prepared.job.task()) {
    if (!cpu || task.training().precision() == proto::Training::F32) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "precision: ",
        proto::Training::Precision_Name(task.training().precision()),
        " needs GPUs, and this run has CPU workers; leave it out, or name "
        "GPUs with --gpus"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Prepared> Prepare(const TrainOptions& options,
                                 const std::optional<EarlierRun>& earlier) {
  Prepared prepared;
  if (earlier.has_value() && options.job.empty()) {
    prepared.source = earlier->Source();
  } else {
    MEANFIELD_ASSIGN_OR_RETURN(prepared.source,
                               job::ReadJobSource(options.job));
  }
  prepared.source.overrides = options.overrides;
  if (!options.corpus_root.empty()) {
    prepared.source.corpus_root =
        std::filesystem::absolute(options.corpus_root).string();
  }
  MEANFIELD_ASSIGN_OR_RETURN(prepared.job,
                             Load(prepared.source, prepared.warnings));
  MEANFIELD_ASSIGN_OR_RETURN(const GpuInventory present, FindGpus());
  MEANFIELD_ASSIGN_OR_RETURN(
      prepared.workers, ChooseDevices(options.devices, GpusOf(prepared.job),
                                      present, UsableCores()));
  MEANFIELD_RETURN_IF_ERROR(CheckPrecision(prepared));
  // K defaults to the number of devices of the first start, which the job alone
  // does not tell.
  prepared.source.default_shards =
      earlier.has_value() ? earlier->shards()
                          : static_cast<uint32_t>(prepared.workers.size());
  MEANFIELD_ASSIGN_OR_RETURN(prepared.job,
                             Load(prepared.source, prepared.warnings));
  return prepared;
}

// GPUs that the user named and that did no step.
std::string IdleDevices(const TrainOptions& options,
                        const proto::RunDetails& run) {
  std::string idle;
  if (options.devices.gpus.empty()) return idle;
  for (const proto::WorkerRecord& worker : run.workers()) {
    if (worker.steps() == 0) {
      absl::StrAppend(&idle, idle.empty() ? "" : ", ", worker.id());
    }
  }
  return idle;
}

ExitCode CodeOf(const RunEnd& end, const proto::RunDetails& run) {
  switch (end.state) {
    case proto::DONE:
      return kDone;
    case proto::STARVED:
    case proto::CANCELLED:
      return kResumable;
    default:
      // Before the corpus is read only the user's files can be at fault.
      return end.code == absl::StatusCode::kInvalidArgument &&
                     run.run().shards().empty()
                 ? kUsage
                 : kFailed;
  }
}

int Report(const TrainOptions& options, const RunEnd& end,
           driver::Coordinator& coordinator, const std::string& run,
           const std::string& out) {
  const absl::StatusOr<proto::RunDetails> details =
      coordinator.store().Load(run);
  if (!details.ok()) return Fail(details.status(), kFailed);
  const ExitCode code = CodeOf(end, *details);
  if (code == kUsage) return Fail(absl::InvalidArgumentError(end.reason), code);
  const absl::Status written =
      report::WriteOutputFolder(*details, coordinator.store().blobs(), out);
  if (!written.ok()) return Fail(written, kFailed);
  std::fputs((options.json ? report::ReportJson(*details)
                           : report::ReportText(*details, out))
                 .c_str(),
             stdout);
  const std::string idle = IdleDevices(options, *details);
  if (code == kDone && !idle.empty()) {
    return Fail(absl::InternalError(absl::StrCat(
                    "these devices were named and did no step: ", idle)),
                kFailed);
  }
  if (code != kDone) {
    std::fprintf(stderr, "meanfield train: the run %s: %s\n",
                 code == kFailed ? "failed" : "was interrupted",
                 end.reason.c_str());
  }
  return code;
}

// Submits the job, or goes on with the earlier run, which the coordinator has
// begun by itself. The run's id.
absl::StatusOr<std::string> BeginRun(const Prepared& prepared,
                                     const std::optional<EarlierRun>& earlier,
                                     driver::Coordinator& coordinator) {
  if (earlier.has_value()) return earlier->id();
  return coordinator.Submit(prepared.source);
}

int TrainIn(const TrainOptions& options, Prepared prepared,
            const std::optional<EarlierRun>& earlier, const std::string& out,
            RunWatch& watch) {
  const absl::Status log = ConfigureLog(
      {.file = out + "/log.txt", .to_stderr = false, .program = "meanfield"});
  if (!log.ok()) return Fail(log, kFailed);
  absl::StatusOr<std::unique_ptr<LocalCluster>> cluster =
      LocalCluster::Start({.state_folder = out + "/state",
                           .worker_log_folder = out + "/workers",
                           .workers = std::move(prepared.workers),
                           .fold_device = options.fold_device,
                           .worker_ended = [&watch](const std::string& why) {
                             watch.OnWorkerEnded(why);
                           }});
  if (!cluster.ok()) return Fail(cluster.status(), kFailed);
  driver::Coordinator& coordinator = (*cluster)->coordinator();
  const absl::StatusOr<std::string> run =
      BeginRun(prepared, earlier, coordinator);
  if (!run.ok()) return Fail(run.status(), kUsage);
  FILE* const progress = options.json ? stderr : stdout;
  ProgressView view(isatty(fileno(progress)) != 0
                        ? ProgressView::Sink::kTerminal
                        : ProgressView::Sink::kLog,
                    prepared.job.task(0).metric(), TerminalColumns());
  const absl::StatusOr<RunEnd> end =
      watch.Follow(**cluster, *run, [&](const proto::RunEvent& event) {
        std::fputs(view.Render(event).c_str(), progress);
        std::fflush(progress);
      });
  if (!end.ok()) return Fail(end.status(), kFailed);
  return Report(options, *end, coordinator, *run, out);
}

}  // namespace

int RunTrain(const TrainOptions& options) {
  // First of all: every later thread inherits the blocked signals.
  RunWatch watch;
  const StopSignals signals([&watch](int count) {
    if (count > 1) _exit(kResumable);  // the kernel ends the workers
    watch.OnInterrupt();
  });
  std::optional<EarlierRun> earlier;
  if (options.resume) {
    absl::StatusOr<EarlierRun> found = EarlierRun::Find(options.out);
    if (!found.ok()) return Fail(found.status(), kUsage);
    earlier = *std::move(found);
  }
  absl::StatusOr<Prepared> prepared = Prepare(options, earlier);
  if (!prepared.ok()) return Fail(prepared.status(), kUsage);
  if (options.dry_run) {
    return DryRun(prepared->job, prepared->warnings, prepared->workers);
  }
  // What would fail later, before anything is made.
  for (const absl::Status& status :
       {FindWorkerProgram().status(),
        aggregate::FoldDeviceIsThere(options.fold_device)}) {
    if (!status.ok()) return Fail(status, kUsage);
  }
  if (earlier.has_value()) {
    const absl::Status reopened = earlier->Reopen(prepared->job);
    if (!reopened.ok()) return Fail(reopened, kUsage);
    return TrainIn(options, *std::move(prepared), earlier,
                   earlier->out_folder(), watch);
  }
  absl::StatusOr<OutFolder> out = OutFolder::Create(
      options.out.empty()
          ? DefaultOutFolder(prepared->job.name(), MakeRealClock()->WallNow())
          : options.out);
  if (!out.ok()) {
    return Fail(out.status(), kUsage);
  }
  const int code =
      TrainIn(options, *std::move(prepared), earlier, out->path(), watch);
  if (code == kUsage) out->RemoveWhatWasMade();
  return code;
}

}  // namespace meanfield::cli
