#include <cstdint>
#include <map>
#include <string_view>

#include "absl/strings/ascii.h"
#include "common/base/strings.h"
#include "coordinator/job/validate.h"

namespace meanfield::job {
namespace {

constexpr uint32_t kMaxShards = 65536;
constexpr size_t kMaxNameLength = 64;
constexpr uint32_t kUnlimited = UINT32_MAX;

// Names become folders, file names and keys.
void ValidateName(const std::string& name, const std::string& path,
                  Checks& checks) {
  bool usable = !name.empty() && name.size() <= kMaxNameLength &&
                absl::ascii_isalnum(name[0]);
  for (char c : name) {
    usable =
        usable && (absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-');
  }
  if (usable) return;
  checks.Wrong(path, StrCat("\"name\" must be 1 to ", kMaxNameLength,
                            " letters, digits, '.', '_', '-', the first "
                            "a letter or digit"));
}

void ValidateGpus(const proto::JobSpec& job, Checks& checks) {
  std::map<uint32_t, int> seen;
  for (int i = 0; i < job.gpus_size(); ++i) {
    if (!seen.emplace(job.gpus(i), i).second) {
      checks.Wrong(Element("gpus", i),
                   StrCat("GPU ", job.gpus(i), " is listed twice"));
    }
  }
}

void ValidateSchedule(const proto::Schedule& schedule, Checks& checks) {
  switch (schedule.when_case()) {
    case proto::Schedule::kLocalEpochs:
      return checks.Whole("schedule.local_epochs", schedule.local_epochs(), 1,
                          kUnlimited);
    case proto::Schedule::kLocalSteps:
      return checks.Whole("schedule.local_steps", schedule.local_steps(), 1,
                          kUnlimited);
    case proto::Schedule::kSyncsPerEpoch:
      return checks.Whole("schedule.syncs_per_epoch",
                          schedule.syncs_per_epoch(), 1, kUnlimited);
    case proto::Schedule::WHEN_NOT_SET:
      return;
  }
}

void ValidateMomentum(const proto::ServerOptimizer::Momentum& momentum,
                      const std::string& path, Checks& checks) {
  checks.Number(Member(path, "learning_rate"), momentum.learning_rate(),
                Interval::kPositive);
  checks.Number(Member(path, "momentum"), momentum.momentum(),
                Interval::kBelowOne);
}

void ValidateServerOptimizer(const proto::ServerOptimizer& optimizer,
                             Checks& checks) {
  const std::string path = "server_optimizer";
  if (optimizer.has_avg()) {
    checks.Number("server_optimizer.avg.learning_rate",
                  optimizer.avg().learning_rate(), Interval::kPositive);
  } else if (optimizer.has_momentum()) {
    ValidateMomentum(optimizer.momentum(), Member(path, "momentum"), checks);
  } else if (optimizer.has_nesterov()) {
    const std::string nesterov = Member(path, "nesterov");
    ValidateMomentum(optimizer.nesterov(), nesterov, checks);
    if (optimizer.nesterov().momentum() == 0) {
      checks.Wrong(Member(nesterov, "momentum"),
                   "\"nesterov\" needs a \"momentum\" above 0");
    }
  }
}

void ValidateStop(const proto::Stop& stop, Checks& checks) {
  if (stop.has_max_rounds()) {
    checks.Whole("stop.max_rounds", stop.max_rounds(), 1, kUnlimited);
  }
  if (stop.has_max_epochs()) {
    checks.Whole("stop.max_epochs", stop.max_epochs(), 1, kUnlimited);
  }
  if (!stop.has_max_rounds() && !stop.has_max_epochs()) {
    checks.MissingAll("stop", {"max_rounds", "max_epochs"},
                      "the job has no end: give stop { max_rounds: N } or "
                      "stop { max_epochs: N }");
  }
}

void ValidateTask(const proto::JobSpec& job, int index, Checks& checks) {
  const proto::Task& task = job.task(index);
  const std::string path = Element("task", index);
  if (task.has_name()) {
    ValidateName(task.name(), Member(path, "name"), checks);
  } else {
    checks.Missing(path, "name", "each of several tasks needs a name");
  }
  if (task.has_corpus()) {
    ValidateCorpus(task.corpus(), Member(path, "corpus"), checks);
  } else {
    checks.Missing(path, "corpus", "a task needs a corpus { ... }");
  }
  if (task.has_model()) {
    ValidateModel(task.model(), Member(path, "model"), checks);
  } else {
    checks.Missing(path, "model", "a task needs a model { ... }");
  }
  ValidateTraining(task.training(), Member(path, "training"), checks);
  checks.Number(Member(path, "loss_factor"), task.loss_factor(),
                Interval::kPositive);
  ValidateFit(job, task, path, checks);
}

void ValidateTaskNames(const proto::JobSpec& job, Checks& checks) {
  std::map<std::string_view, int> seen;
  for (int i = 0; i < job.task_size(); ++i) {
    if (!job.task(i).has_name()) continue;
    if (!seen.emplace(job.task(i).name(), i).second) {
      checks.Wrong(Member(Element("task", i), "name"),
                   StrCat("two tasks are named \"", job.task(i).name(), "\""));
    }
  }
}

}  // namespace

void ValidateJob(const proto::JobSpec& job, Checks& checks) {
  ValidateName(job.name(), "name", checks);
  checks.Whole("shards", job.shards(), 1, kMaxShards);
  checks.Whole("evaluate_every", job.evaluate_every(), 1, kUnlimited);
  ValidateGpus(job, checks);
  ValidateSchedule(job.schedule(), checks);
  ValidateServerOptimizer(job.server_optimizer(), checks);
  ValidateStop(job.stop(), checks);
  if (job.task().empty()) {
    checks.Missing("", "task",
                   "the job has no task: give task { corpus { ... } "
                   "model { ... } }");
  }
  for (int i = 0; i < job.task_size(); ++i) ValidateTask(job, i, checks);
  ValidateTaskNames(job, checks);
}

}  // namespace meanfield::job
