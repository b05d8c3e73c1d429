#include "coordinator/cli/predict.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/base/stop_signals.h"
#include "common/tensor/safetensors.h"
#include "coordinator/cli/exit_code.h"
#include "coordinator/cli/local_cluster.h"
#include "coordinator/cli/scratch_folder.h"
#include "coordinator/cli/trained_model.h"
#include "coordinator/corpus/text_encoder.h"

namespace meanfield::cli {

namespace {

// Texts that are predicted at once. A person who types sees each answer.
constexpr size_t kBlockLines = 4096;

int Fail(const absl::Status& status, ExitCode code) {
  std::fprintf(stderr, "meanfield predict: %s\n",
               std::string(status.message()).c_str());
  return code;
}

absl::StatusOr<std::vector<WorkerCommand>> ChooseDevice(DeviceChoice choice) {
  MEANFIELD_ASSIGN_OR_RETURN(const GpuInventory present, FindGpus());
  if (choice.gpus.empty() && !choice.workers.has_value()) {
    if (present.gpus.empty()) {
      choice.workers = 1;
    } else {
      choice.gpus = {"0"};
    }
  }
  return ChooseDevices(choice, {}, present, /*cores=*/1);
}

// Up to `limit` lines; empty at the end of the input.
std::vector<std::string> ReadBlock(std::istream& in, size_t limit) {
  std::vector<std::string> lines;
  std::string line;
  while (lines.size() < limit && std::getline(in, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

absl::StatusOr<std::vector<std::string>> PredictBlock(
    const std::vector<std::string>& texts, const TrainedModel& model,
    driver::Coordinator& coordinator) {
  BlobStore& blobs = coordinator.store().blobs();
  MEANFIELD_ASSIGN_OR_RETURN(
      const Blob data, corpus::EncodeTexts(texts, model.dictionaries, blobs));
  MEANFIELD_ASSIGN_OR_RETURN(
      const std::vector<std::string> outputs,
      coordinator.Predict({.model_config = model.model_config,
                           .training_config = model.training_config,
                           .model = model.weights,
                           .frozen = model.frozen,
                           .data = {data}}));
  MEANFIELD_ASSIGN_OR_RETURN(const SafetensorsFile output,
                             SafetensorsFile::Open(outputs.front()));
  absl::StatusOr<std::vector<std::string>> lines =
      corpus::DecodePredictions(texts, output, model.dictionaries);
  std::error_code ignored;  // both go with the scratch folder at the latest
  std::filesystem::remove(outputs.front(), ignored);
  blobs.Remove(data).IgnoreError();
  return lines;
}

// False when nobody reads any more.
bool Print(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (std::fputs(line.c_str(), stdout) == EOF || std::fputc('\n', stdout) < 0)
      return false;
  }
  return std::fflush(stdout) == 0;
}

int PredictAll(std::istream& in, size_t block, const TrainedModel& model,
               driver::Coordinator& coordinator) {
  while (true) {
    const std::vector<std::string> texts = ReadBlock(in, block);
    if (in.bad()) {
      return Fail(absl::InvalidArgumentError("cannot read the texts"), kUsage);
    }
    if (texts.empty()) return kDone;
    const absl::StatusOr<std::vector<std::string>> lines =
        PredictBlock(texts, model, coordinator);
    if (!lines.ok()) {
      return Fail(lines.status(),
                  absl::IsInvalidArgument(lines.status()) ? kUsage : kFailed);
    }
    if (!Print(*lines)) {
      // A reader that has seen enough is no failure.
      if (errno == EPIPE) return kDone;
      return Fail(ErrnoStatus(errno, "write", "standard output"), kFailed);
    }
  }
}

int PredictIn(const std::string& scratch, const PredictOptions& options,
              std::istream& in) {
  absl::StatusOr<std::vector<WorkerCommand>> workers =
      ChooseDevice(options.devices);
  if (!workers.ok()) return Fail(workers.status(), kUsage);
  absl::StatusOr<std::unique_ptr<LocalCluster>> cluster = LocalCluster::Start(
      {.state_folder = scratch + "/state",
       .worker_log_folder = scratch + "/workers",
       .workers = *std::move(workers),
       // Nothing is left to wait for.
       .worker_ended = [scratch](const std::string& why) {
         std::fprintf(stderr, "meanfield predict: %s\n", why.c_str());
         std::error_code ignored;
         std::filesystem::remove_all(scratch, ignored);
         _exit(kResumable);
       }});
  if (!cluster.ok()) return Fail(cluster.status(), kFailed);
  driver::Coordinator& coordinator = (*cluster)->coordinator();
  const absl::StatusOr<TrainedModel> model =
      LoadTrainedModel(options.run_folder, coordinator.store().blobs());
  if (!model.ok()) return Fail(model.status(), kUsage);
  const bool typing = options.file.empty() && isatty(STDIN_FILENO) != 0;
  return PredictAll(in, typing ? 1 : kBlockLines, *model, coordinator);
}

}  // namespace

int RunPredict(const PredictOptions& options) {
  absl::StatusOr<ScratchFolder> scratch = ScratchFolder::Create();
  if (!scratch.ok()) return Fail(scratch.status(), kFailed);
  const StopSignals signals([&](int) {
    std::error_code ignored;
    std::filesystem::remove_all(scratch->path(), ignored);
    _exit(kResumable);  // the kernel ends the worker
  });
  std::signal(SIGPIPE, SIG_IGN);
  std::ifstream file;
  if (!options.file.empty()) {
    file.open(options.file, std::ios::binary);
    if (!file.good() || std::filesystem::is_directory(options.file)) {
      return Fail(
          absl::NotFoundError(options.file + " is not a file that can be read"),
          kUsage);
    }
  }
  const absl::Status log = ConfigureLog(
      {.minimum = LogLevel::kError, .program = "meanfield predict"});
  if (!log.ok()) return Fail(log, kFailed);
  return PredictIn(scratch->path(), options,
                   options.file.empty() ? std::cin : file);
}

}  // namespace meanfield::cli
