#include "coordinator/cli/doctor.h"

#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "coordinator/cli/devices.h"
#include "coordinator/cli/gpu_inventory.h"
#include "coordinator/cli/gpu_list.h"
#include "nlohmann/json.hpp"

namespace meanfield::cli {

namespace {

using Level = Finding::Level;

std::string Gibibytes(double bytes) {
  return absl::StrFormat("%.1f GiB", bytes / (1u << 30));
}

std::string OsName() {
  std::ifstream release("/etc/os-release");
  for (std::string line; std::getline(release, line);) {
    if (absl::StartsWith(line, "PRETTY_NAME=")) {
      return absl::StrReplaceAll(line.substr(12), {{"\"", ""}});
    }
  }
  return "unknown Linux";
}

Finding ExamineSystem() {
  utsname kernel{};
  uname(&kernel);
  return {
      Level::kFine, "system",
      absl::StrCat(OsName(), ", kernel ", kernel.release, ", ", kernel.machine),
      ""};
}

Finding ExamineProcessor() {
  const std::string seen = absl::StrCat(UsableCores(), " usable cores");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return {Level::kFine, "processor", absl::StrCat(seen, ", AVX2"), ""};
  }
  return {Level::kNote, "processor", absl::StrCat(seen, ", no AVX2"),
          "CPU workers here are of a numerics class of their own: they do not "
          "join runs of machines with AVX2"};
}

Finding ExamineMemory() {
  struct sysinfo memory {};
  sysinfo(&memory);
  const double total = static_cast<double>(memory.totalram) * memory.mem_unit;
  Finding finding{Level::kFine, "memory", Gibibytes(total), ""};
  if (total < 4.0 * (1u << 30)) {
    finding.level = Level::kNote;
    finding.advice = "a build of the worker needs 2 GiB, each worker about 0.5";
  }
  return finding;
}

Finding ExamineGpus() {
  const absl::StatusOr<GpuInventory> inventory = FindGpus();
  if (!inventory.ok()) {
    return {Level::kMissing, "GPUs", std::string(inventory.status().message()),
            "repair the NVIDIA driver, or train on the CPU with --workers"};
  }
  if (inventory->gpus.empty()) {
    return {Level::kNote, "GPUs", ListGpus(*inventory),
            "training uses CPU workers, one per core"};
  }
  return {
      Level::kFine, "GPUs",
      absl::StrCat("driver ", inventory->driver, "; ", ListGpus(*inventory)),
      ""};
}

// What `program --version` prints, and whether it ended well.
std::pair<std::string, bool> AskVersion(const std::string& program) {
  const std::string command = absl::StrCat(
      "'", absl::StrReplaceAll(program, {{"'", "'\\''"}}), "' --version 2>&1");
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {"cannot start a shell", false};
  std::string text;
  std::array<char, 512> buffer;
  while (fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    text += buffer.data();
  }
  const int status = pclose(pipe);
  const bool fine = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return {std::string(absl::StripAsciiWhitespace(text)), fine};
}

Finding ExamineWorker(const std::string& program) {
  if (!std::filesystem::exists(program)) {
    return {Level::kMissing, "worker", absl::StrCat("no ", program),
            "run deploy/bootstrap.sh and build again: the worker is left out "
            "when LibTorch is not found"};
  }
  const auto [text, fine] = AskVersion(program);
  if (fine) return {Level::kFine, "worker", text, ""};
  return {Level::kMissing, "worker", absl::StrCat(program, ": ", text),
          "it does not start; a missing library is named above: run "
          "deploy/bootstrap.sh, or set MEANFIELD_TORCH and build again"};
}

Finding ExamineSpace(const std::string& subject, const std::string& folder) {
  struct statvfs space {};
  if (statvfs(folder.c_str(), &space) != 0) {
    return {Level::kNote, subject, absl::StrCat(folder, " cannot be looked at"),
            "set TMPDIR to a folder that can be written"};
  }
  const double free = static_cast<double>(space.f_bavail) * space.f_frsize;
  Finding finding{Level::kFine, subject,
                  absl::StrCat(folder, ", ", Gibibytes(free), " free"), ""};
  if (free < 1.0 * (1u << 30)) {
    finding.level = Level::kNote;
    finding.advice = "each worker keeps shards and models there";
  }
  return finding;
}

const char* LevelName(Level level) {
  switch (level) {
    case Level::kFine:
      return "fine";
    case Level::kNote:
      return "note";
    case Level::kMissing:
      return "missing";
  }
  return "";
}

}  // namespace

std::vector<Finding> ExamineMachine(const std::string& worker_program) {
  return {ExamineSystem(),
          ExamineProcessor(),
          ExamineMemory(),
          ExamineGpus(),
          ExamineWorker(worker_program),
          ExamineSpace("temporary files",
                       std::filesystem::temp_directory_path().string()),
          ExamineSpace("shared memory", "/dev/shm")};
}

std::string FindingsText(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    absl::StrAppendFormat(&text, "%-8s %-16s %s\n", LevelName(finding.level),
                          finding.subject, finding.seen);
    if (!finding.advice.empty()) {
      absl::StrAppendFormat(&text, "%-25s -> %s\n", "", finding.advice);
    }
  }
  return text;
}

std::string FindingsJson(const std::vector<Finding>& findings) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    all.push_back({{"level", LevelName(finding.level)},
                   {"subject", finding.subject},
                   {"seen", finding.seen},
                   {"advice", finding.advice}});
  }
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

int DoctorExitCode(const std::vector<Finding>& findings) {
  const bool missing = std::any_of(
      findings.begin(), findings.end(),
      [](const Finding& finding) { return finding.level == Level::kMissing; });
  return missing ? 1 : 0;
}

}  // namespace meanfield::cli
