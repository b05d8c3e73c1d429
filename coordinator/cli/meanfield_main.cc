// meanfield: the command line of the coordinator.
#include <cstdio>
#include <string>

#include "CLI/CLI.hpp"
#include "common/base/version.h"
#include "coordinator/cli/client_commands.h"
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
      ->take_all();
  command.add_option("--workers", devices.workers,
                     "Use so many CPU workers instead");
}

void AddTrain(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "train", "Train a model on this machine, to the end of a job");
  auto options = std::make_shared<TrainOptions>();
  command->add_option("job", options->job, "Job file (text proto)")->required();
  AddDevices(*command, options->devices);
  command
      ->add_option("--set", options->overrides,
                   "Override of the job, path=value; may be repeated")
      ->take_all();
  command->add_option("--corpus-root", options->corpus_root,
                      "Folder that the job's file names start from (default: "
                      "the job file's)");
  command->add_option("--out", options->out,
                      "New folder for the results (default: "
                      "runs/<job>-<time>)");
  command->add_flag("--dry-run", options->dry_run,
                    "Print the job with every default, the shards and the "
                    "rounds, and stop");
  command->add_flag("--json", options->json,
                    "Print report.json instead of the report; progress goes to "
                    "standard error");
  command
      ->add_option("--fold-device", options->fold_device,
                   "Where updates are averaged: cpu or cuda (same bits)")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, aggregate::FoldDevice>{
              {"cpu", aggregate::FoldDevice::kCpu},
              {"cuda", aggregate::FoldDevice::kCuda}}));
  command->footer(
      "Examples:\n"
      "  meanfield train job.textproto\n"
      "  meanfield train job.textproto --workers 2 --set shards=4\n"
      "  meanfield train job.textproto --gpus 0-3 --out runs/first\n"
      "  meanfield train job.textproto --set task.training.batch_size=64 \\\n"
      "      --set 'server_optimizer=nesterov{learning_rate:0.7 "
      "momentum:0.9}'\n\n"
      "Exit codes: 0 done, 1 the run failed, 2 bad usage, job or data, "
      "3 interrupted or no worker left.");
  command->callback([options, &exit_code] { exit_code = RunTrain(*options); });
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

int Main(int argc, char** argv) {
  CLI::App app(
      "Trains one text model on many GPUs (or cores) by federated averaging.");
  app.name("meanfield");
  app.require_subcommand(1);
  app.set_version_flag("--version", "meanfield " + VersionAndCommit());
  app.footer(
      "Start with: meanfield train JOB --workers 2, or deploy/quickstart.sh.\n"
      "Each command has its own --help with examples.");
  int exit_code = kDone;
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
  return exit_code;
}

}  // namespace
}  // namespace meanfield::cli

int main(int argc, char** argv) { return meanfield::cli::Main(argc, argv); }
