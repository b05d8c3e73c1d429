#include "coordinator/cli/client_commands.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"

#include "absl/strings/str_cat.h"
#include "common/base/mutex.h"
#include "common/base/status.h"
#include "common/base/stop_signals.h"
#include "coordinator/cli/coordinator_client.h"
#include "coordinator/cli/progress_view.h"
#include "coordinator/cli/run_export.h"
#include "coordinator/cli/run_list.h"
#include "coordinator/cli/terminal.h"
#include "coordinator/cli/worker_list.h"
#include "coordinator/job/job.h"
#include "coordinator/report/report.h"
#include "google/protobuf/util/json_util.h"
#include "nlohmann/json.hpp"

namespace meanfield::cli {

namespace {

namespace fs = std::filesystem;

int Fail(const std::string& command, const absl::Status& status) {
  std::fprintf(stderr, "meanfield %s: %s\n", command.c_str(),
               std::string(status.message()).c_str());
  return ExitCodeOf(status);
}

void Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// One line a message.
std::string JsonLine(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string json;
  const auto status =
      google::protobuf::util::MessageToJsonString(message, &json, options);
  return status.ok() ? json + "\n" : "";
}

std::string EndText(const std::string& run,
                    const proto::RunEvent::Ended& ended) {
  return absl::StrCat("run ", run, ": ", proto::RunState_Name(ended.state()),
                      ended.reason().empty() ? "" : ": ", ended.reason(), "\n");
}

// Ctrl-C ends the watching, not the run; twice, or before it began, at once.
// Made before the client: its threads must inherit the blocked signals.
class WatchInterrupt {
 public:
  WatchInterrupt() : signals_([this](int count) { OnSignal(count); }) {}

  // Null: no longer.
  void SetWatching(CoordinatorClient* client) {
    const MutexLock lock(mutex_);
    client_ = client;
  }

 private:
  void OnSignal(int count) {
    const MutexLock lock(mutex_);
    if (count > 1 || client_ == nullptr) _exit(kResumable);
    client_->StopWatching();
  }

  Mutex mutex_;
  CoordinatorClient* client_ ABSL_GUARDED_BY(mutex_) = nullptr;
  const StopSignals signals_;
};

// Shows a run to its end, or until the user interrupts.
int Follow(WatchInterrupt& interrupt, CoordinatorClient& client,
           const std::string& run, bool json) {
  ProgressView view(isatty(STDOUT_FILENO) != 0 ? ProgressView::Sink::kTerminal
                                               : ProgressView::Sink::kLog,
                    /*metric=*/"", TerminalColumns());
  std::optional<proto::RunEvent::Ended> ended;
  interrupt.SetWatching(&client);
  const absl::Status status =
      client.Watch(run, [&](const proto::RunEvent& event) {
        Print(json ? JsonLine(event) : view.Render(event));
        if (event.has_ended()) ended = event.ended();
      });
  interrupt.SetWatching(nullptr);
  if (absl::IsCancelled(status)) {
    std::fprintf(stderr,
                 "\nmeanfield watch: stopped watching; the run goes on "
                 "(meanfield cancel %s ends it)\n",
                 run.c_str());
    return kResumable;
  }
  if (!status.ok()) return Fail("watch", status);
  if (!json) Print(EndText(run, *ended));
  return ExitCodeOf(*ended);
}

absl::StatusOr<proto::SubmitRequest> MakeSubmitRequest(
    const SubmitOptions& options) {
  MEANFIELD_ASSIGN_OR_RETURN(const job::JobSource source,
                             job::ReadJobSource(options.job));
  const fs::path path = fs::absolute(options.job);
  const fs::path root = options.corpus_root.empty()
                            ? path.parent_path()
                            : fs::absolute(options.corpus_root);
  proto::SubmitRequest request;
  request.set_job_text(source.text);
  request.set_job_path(path.string());
  request.set_corpus_root(root.lexically_normal().string());
  for (const std::string& text : options.overrides) {
    request.add_overrides(text);
  }
  return request;
}

using Command = std::function<int(CoordinatorClient& client)>;

int WithClient(const std::string& name, const ClientOptions& options,
               const Command& command) {
  const auto client = CoordinatorClient::Create(options.coordinator);
  if (!client.ok()) return Fail(name, client.status());
  return command(**client);
}

// ------------------------------------------------------------ registration --

void AddClientOptions(CLI::App& command, ClientOptions& options,
                      const char* json) {
  options.coordinator = "127.0.0.1:7070";
  command
      .add_option("--coordinator", options.coordinator,
                  "Address of the coordinator, host:port")
      ->envname("MEANFIELD_COORDINATOR")
      ->capture_default_str();
  command.add_flag("--json", options.json, json);
}

void AddSubmit(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("submit", "Hand a job to a running coordinator");
  const auto options = std::make_shared<SubmitOptions>();
  command->add_option("job", options->job, "Job file (text proto)")->required();
  command
      ->add_option("--set", options->overrides,
                   "Override of the job, path=value; may be repeated")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--corpus-root", options->corpus_root,
                      "Folder, on the coordinator's machine, that the job's "
                      "file names start from (default: the job file's)");
  command->add_flag("--watch", options->watch, "Watch the run to its end");
  AddClientOptions(*command, options->client, "Print JSON");
  command->footer(
      "Prints the id of the run. The coordinator reads the corpora, from below "
      "its\n--corpus-root folders.\n\n"
      "Examples:\n"
      "  meanfield submit job.textproto --set shards=4\n"
      "  meanfield submit job.textproto --coordinator 10.0.0.5:7070 --watch");
  command->callback([options, &exit_code] { exit_code = RunSubmit(*options); });
}

// A command about one run.
CLI::App* AddRunCommand(
    CLI::App& app, int& exit_code, const std::string& name,
    const std::string& description, const char* json,
    const std::function<int(const ClientOptions&, const std::string&)>& run) {
  CLI::App* command = app.add_subcommand(name, description);
  const auto client = std::make_shared<ClientOptions>();
  const auto id = std::make_shared<std::string>();
  command->add_option("run", *id, "Id of the run (meanfield runs lists them)")
      ->required();
  AddClientOptions(*command, *client, json);
  command->callback(
      [client, id, run, &exit_code] { exit_code = run(*client, *id); });
  return command;
}

void AddList(CLI::App& app, int& exit_code, const std::string& name,
             const std::string& description,
             const std::function<int(const ClientOptions&)>& run) {
  CLI::App* command = app.add_subcommand(name, description);
  const auto client = std::make_shared<ClientOptions>();
  AddClientOptions(*command, *client, "Print a JSON array");
  command->footer(absl::StrCat("Example:\n  meanfield ", name,
                               " --coordinator 10.0.0.5:7070"));
  command->callback([client, run, &exit_code] { exit_code = run(*client); });
}

}  // namespace

int RunSubmit(const SubmitOptions& options) {
  const absl::StatusOr<proto::SubmitRequest> request =
      MakeSubmitRequest(options);
  if (!request.ok()) return Fail("submit", request.status());
  std::optional<WatchInterrupt> interrupt;
  if (options.watch) interrupt.emplace();
  return WithClient("submit", options.client, [&](CoordinatorClient& client) {
    const absl::StatusOr<std::string> run = client.Submit(*request);
    if (!run.ok()) return Fail("submit", run.status());
    Print(options.client.json ? nlohmann::json{{"run", *run}}.dump() + "\n"
                              : *run + "\n");
    return options.watch ? Follow(*interrupt, client, *run, options.client.json)
                         : static_cast<int>(kDone);
  });
}

int RunWatchCommand(const ClientOptions& client, const std::string& run) {
  WatchInterrupt interrupt;
  return WithClient("watch", client, [&](CoordinatorClient& coordinator) {
    return Follow(interrupt, coordinator, run, client.json);
  });
}

int RunList(const ClientOptions& client) {
  return WithClient("runs", client, [&](CoordinatorClient& coordinator) {
    const absl::StatusOr<proto::ListRunsResponse> runs = coordinator.ListRuns();
    if (!runs.ok()) return Fail("runs", runs.status());
    Print(client.json ? RunListJson(*runs) : RunListText(*runs));
    return static_cast<int>(kDone);
  });
}

int RunWorkers(const ClientOptions& client) {
  return WithClient("workers", client, [&](CoordinatorClient& coordinator) {
    const absl::StatusOr<proto::ListWorkersResponse> workers =
        coordinator.ListWorkers();
    if (!workers.ok()) return Fail("workers", workers.status());
    Print(client.json ? WorkerListJson(*workers) : WorkerListText(*workers));
    return static_cast<int>(kDone);
  });
}

int RunShow(const ClientOptions& client, const std::string& run) {
  return WithClient("show", client, [&](CoordinatorClient& coordinator) {
    const absl::StatusOr<proto::RunDetails> details = coordinator.GetRun(run);
    if (!details.ok()) return Fail("show", details.status());
    Print(client.json ? report::ReportJson(*details)
                      : report::ReportText(*details, /*folder=*/""));
    return static_cast<int>(kDone);
  });
}

int RunExport(const ClientOptions& client, const std::string& run,
              const std::string& out) {
  return WithClient("export", client, [&](CoordinatorClient& coordinator) {
    const absl::StatusOr<std::string> folder = ExportRun(coordinator, run, out);
    if (!folder.ok()) return Fail("export", folder.status());
    Print(client.json ? nlohmann::json{{"folder", *folder}}.dump() + "\n"
                      : *folder + "\n");
    return static_cast<int>(kDone);
  });
}

int RunCancel(const ClientOptions& client, const std::string& run,
              const std::string& reason) {
  return WithClient("cancel", client, [&](CoordinatorClient& coordinator) {
    const absl::Status status = coordinator.Cancel(run, reason);
    if (!status.ok()) return Fail("cancel", status);
    Print(client.json ? nlohmann::json{{"cancelled", run}}.dump() + "\n"
                      : absl::StrCat("run ", run, " will end\n"));
    return static_cast<int>(kDone);
  });
}

ExitCode ExitCodeOf(const proto::RunEvent::Ended& ended) {
  switch (ended.state()) {
    case proto::DONE:
      return kDone;
    case proto::CANCELLED:
    case proto::STARVED:
      return kResumable;
    default:
      return static_cast<absl::StatusCode>(ended.code()) ==
                     absl::StatusCode::kInvalidArgument
                 ? kUsage
                 : kFailed;
  }
}

ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kDone;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kFailedPrecondition:
      return kUsage;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
      return kResumable;
    default:
      return kFailed;
  }
}

void AddClientCommands(CLI::App& app, int& exit_code) {
  AddSubmit(app, exit_code);
  AddRunCommand(app, exit_code, "watch", "Show a run's progress to its end",
                "Print one JSON object an event", RunWatchCommand)
      ->footer(
          "Ctrl-C stops watching; the run goes on.\n"
          "Exit codes: 0 the run is done, 1 it failed, 2 its corpus or this "
          "call is at fault,\n3 it was cancelled or no worker was left, or the "
          "coordinator went away.\n\n"
          "Example:\n  meanfield watch topics-20260101-120000");
  AddList(app, exit_code, "runs", "List the runs of a coordinator", RunList);
  AddList(app, exit_code, "workers",
          "List the workers that are connected to a coordinator", RunWorkers);
  AddRunCommand(app, exit_code, "show", "Print the report of a run",
                "Print report.json", RunShow)
      ->footer("Example:\n  meanfield show topics-20260101-120000 --json");
  const auto out = std::make_shared<std::string>();
  CLI::App* exported = AddRunCommand(
      app, exit_code, "export", "Fetch a run's models, report and predictions",
      "Print JSON", [out](const ClientOptions& client, const std::string& run) {
        return RunExport(client, run, *out);
      });
  exported->add_option("--out", *out,
                       "New folder for the results (default: runs/<run>)");
  exported->footer(
      "Example:\n  meanfield export topics-20260101-120000 --out runs/topics\n"
      "  meanfield predict runs/topics < texts.txt");
  const auto reason = std::make_shared<std::string>("cancelled by a user");
  CLI::App* cancel = AddRunCommand(
      app, exit_code, "cancel", "End a run", "Print JSON",
      [reason](const ClientOptions& client, const std::string& run) {
        return RunCancel(client, run, *reason);
      });
  cancel->add_option("--reason", *reason, "Recorded with the run")
      ->capture_default_str();
  cancel->footer(
      "Example:\n  meanfield cancel topics-20260101-120000 --reason 'wrong "
      "corpus'");
}

}  // namespace meanfield::cli
