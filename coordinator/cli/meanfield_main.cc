// meanfield: the command line of the coordinator.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "common/base/version.h"
#include "coordinator/cli/client_commands.h"
#include "coordinator/cli/data_commands.h"
#include "coordinator/cli/doctor.h"
#include "coordinator/cli/exit_code.h"
#include "coordinator/cli/predict.h"
#include "coordinator/cli/train.h"
#include "coordinator/cli/worker_processes.h"

namespace meanfield::cli {
namespace {

void AddDevices(CLI::App& command, DeviceChoice& devices) {
  command
      .add_option("--gpus,--gpu-id", devices.gpus,
                  "GPUs to use: 0,1,2 or \"0 1 2\" or 0-3 or all or UUIDs; "
                  "may be repeated; relative to CUDA_VISIBLE_DEVICES")
      ->allow_extra_args(false)
      ->take_all();
  command.add_option("--workers", devices.workers,
                     "Use so many CPU workers instead");
}

void AddTrain(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "train", "Train a model on this machine, to the end of a job");
  auto options = std::make_shared<TrainOptions>();
  CLI::Option* job = command->add_option(
      "job", options->job, "Job file (text proto); not needed with --resume");
  AddDevices(*command, options->devices);
  command
      ->add_option("--set", options->overrides,
                   "Override of the job, path=value; may be repeated")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--corpus-root", options->corpus_root,
                      "Folder that the job's file names start from (default: "
                      "the job file's)");
  CLI::Option* out = command->add_option("--out", options->out,
                                         "New folder for the results (default: "
                                         "runs/<job>-<time>)");
  CLI::Option* resume = command->add_flag(
      "--resume", options->resume,
      "Go on with the run in --out where it was cut off, or further: --set may "
      "change \"stop\"");
  resume->needs(out);
  command->add_flag("--dry-run", options->dry_run,
                    "Print the job with every default, the shards and the "
                    "rounds, and stop");
  command->add_flag("--json", options->json,
                    "Print report.json instead of the report; progress goes to "
                    "standard error");
  auto fold_device = std::make_shared<std::string>("cpu");
  command
      ->add_option("--fold-device", *fold_device,
                   "Where updates are averaged (same bits)")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  command->footer(
      "Examples:\n"
      "  meanfield train job.textproto\n"
      "  meanfield train job.textproto --workers 2 --set shards=4\n"
      "  meanfield train job.textproto --gpus 0-3 --out runs/first\n"
      "  meanfield train --resume --out runs/first --set stop.max_rounds=20\n"
      "  meanfield train job.textproto --set task.training.batch_size=64 \\\n"
      "      --set 'server_optimizer=nesterov{learning_rate:0.7 "
      "momentum:0.9}'\n\n"
      "Exit codes: 0 done, 1 the run failed, 2 bad usage, job or data, "
      "3 interrupted or no worker left.");
  command->callback([options, fold_device, job, resume, &exit_code] {
    if (job->empty() && resume->empty()) throw CLI::RequiredError("job");
    options->fold_device = *fold_device == "cuda" ? aggregate::FoldDevice::kCuda
                                                  : aggregate::FoldDevice::kCpu;
    exit_code = RunTrain(*options);
  });
}

void AddPredict(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "predict", "Label texts, one a line, with the best model of a run");
  auto options = std::make_shared<PredictOptions>();
  command->add_option("run", options->run_folder, "Output folder of the run")
      ->required();
  command->add_option("file", options->file, "Texts (default: standard input)");
  AddDevices(*command, options->devices);
  command->footer(
      "A classifier prints \"label TAB probability\", a tagger \"token/tag\" "
      "pairs.\n"
      "Words are separated by blanks, as in the training data.\n\n"
      "Example:\n"
      "  echo 'fast text classification library' | meanfield predict "
      "runs/first");
  command->callback(
      [options, &exit_code] { exit_code = RunPredict(*options); });
}

void AddDoctor(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "doctor", "Show what this machine has, what is missing, how to get it");
  command->footer("");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([json, &exit_code] {
    const std::vector<Finding> findings = ExamineMachine(WorkerProgramPath());
    std::fputs(
        (*json ? FindingsJson(findings) : FindingsText(findings)).c_str(),
        stdout);
    exit_code = DoctorExitCode(findings);
  });
}

void AddVersion(CLI::App& app, int& exit_code) {
  app.add_subcommand("version", "Print the version")->callback([&exit_code] {
    std::printf("meanfield %s\n", VersionAndCommit().c_str());
    exit_code = kDone;
  });
}

// What was printed may not have arrived. A reader that left is no failure.
int OutputCode() {
  const bool failed_before = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !failed_before) return kDone;
  if (errno == EPIPE) return kDone;
  std::fprintf(stderr, "meanfield: standard output could not be written%s%s\n",
               errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno));
  return kFailed;
}

int Main(int argc, char** argv) {
  CLI::App app(
      "Trains one text model on many GPUs (or cores) by federated averaging.");
  app.name("meanfield");
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", "meanfield " + VersionAndCommit());
  app.footer(
      "Start with: meanfield train JOB --workers 2, or deploy/quickstart.sh.\n"
      "Each command has its own --help with examples.");
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves ends no training
  int exit_code = kDone;
  AddDataCommands(app, exit_code);
  AddTrain(app, exit_code);
  AddPredict(app, exit_code);
  AddClientCommands(app, exit_code);
  AddDoctor(app, exit_code);
  AddVersion(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUsage;
  }
  if (app.get_subcommands().empty()) {
    std::fputs(app.help().c_str(), stderr);
    return kUsage;
  }
  return exit_code == kDone ? OutputCode() : exit_code;
}

}  // namespace
}  // namespace meanfield::cli

int main(int argc, char** argv) { return meanfield::cli::Main(argc, argv); }
