#include "coordinator/cli/client_commands.h"

#include <limits>
#include <string>
#include <vector>

#include "coordinator/cli/run_list.h"
#include "coordinator/cli/worker_list.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/temporary_folder.h"

namespace meanfield::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

proto::RunEvent::Ended Ended(proto::RunState state, absl::StatusCode code) {
  proto::RunEvent::Ended ended;
  ended.set_state(state);
  ended.set_code(static_cast<int>(code));
  return ended;
}

TEST(ExitCodeOf, ARunsEnd) {
  using Code = absl::StatusCode;
  EXPECT_EQ(ExitCodeOf(Ended(proto::DONE, Code::kOk)), kDone);
  EXPECT_EQ(ExitCodeOf(Ended(proto::FAILED, Code::kAborted)), kFailed);
  EXPECT_EQ(ExitCodeOf(Ended(proto::FAILED, Code::kInvalidArgument)), kUsage);
  EXPECT_EQ(ExitCodeOf(Ended(proto::CANCELLED, Code::kCancelled)), kResumable);
  EXPECT_EQ(ExitCodeOf(Ended(proto::STARVED, Code::kUnavailable)), kResumable);
}

TEST(ExitCodeOf, ACall) {
  EXPECT_EQ(ExitCodeOf(absl::NotFoundError("no run r2")), kUsage);
  EXPECT_EQ(ExitCodeOf(absl::UnavailableError("no coordinator")), kResumable);
  EXPECT_EQ(ExitCodeOf(absl::ResourceExhaustedError("disk full")), kFailed);
}

int RunCommand(const std::vector<std::string>& arguments) {
  CLI::App app;
  int exit_code = -1;
  AddClientCommands(app, exit_code);
  // CLI11 takes them from the back.
  app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  return exit_code;
}

TEST(ClientCommands, MissingJobFile_IsUsage) {
  ::testing::internal::CaptureStderr();
  const int code = RunCommand({"submit", "no/such.textproto"});

  EXPECT_EQ(code, kUsage);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("meanfield submit: there is no job file "
                        "no/such.textproto"));
}

TEST(ClientCommands, MalformedAddress_IsUsage) {
  ::testing::internal::CaptureStderr();
  for (const char* command : {"show", "watch", "cancel"}) {
    EXPECT_EQ(RunCommand({command, "r1", "--coordinator", "nowhere"}), kUsage);
  }
  EXPECT_EQ(RunCommand({"runs", "--coordinator", "nowhere"}), kUsage);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("nowhere"));
}

proto::ListRunsResponse TwoRuns() {
  proto::ListRunsResponse runs;
  auto* first = runs.add_runs();
  first->set_id("topics-1");
  first->set_name("topics");
  first->set_state(proto::RUNNING);
  first->set_rounds_done(3);
  first->set_rounds_planned(8);
  first->set_best_score(0.75);
  auto* second = runs.add_runs();
  second->set_id("tags-2");
  second->set_state(proto::FAILED);
  second->set_reason("train.conll:3: two columns");
  second->set_best_score(-std::numeric_limits<double>::infinity());
  return runs;
}

TEST(RunList, Text_HasARowARunAndTheReasons) {
  const std::string text = RunListText(TwoRuns());

  EXPECT_THAT(text, HasSubstr("topics-1"));
  EXPECT_THAT(text, HasSubstr("RUNNING"));
  EXPECT_THAT(text, HasSubstr("3/8"));
  EXPECT_THAT(text, HasSubstr("0.7500"));
  EXPECT_THAT(text, HasSubstr("tags-2: train.conll:3: two columns"));
  EXPECT_THAT(text, Not(HasSubstr("inf")));
  EXPECT_EQ(RunListText({}), "no runs\n");
}

TEST(RunList, Json_HasNullForNoScore) {
  const auto json = nlohmann::json::parse(RunListJson(TwoRuns()));

  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["id"], "topics-1");
  EXPECT_EQ(json[0]["best_score"], 0.75);
  EXPECT_EQ(json[1]["state"], "FAILED");
  EXPECT_TRUE(json[1]["best_score"].is_null());
  EXPECT_EQ(RunListJson({}), "[]\n");
}

proto::ListWorkersResponse TwoWorkers() {
  proto::ListWorkersResponse workers;
  auto* busy = workers.add_workers();
  busy->set_name("gpu-0");
  busy->set_device("cuda:0");
  busy->set_units_done(12);
  busy->set_unit("r3/task/train/shard 2");
  busy->set_steps_done(40);
  workers.add_workers()->set_name("gpu-1");
  return workers;
}

TEST(WorkerList, Text_SaysWhatEachDoes) {
  const std::string text = WorkerListText(TwoWorkers());

  EXPECT_THAT(text, HasSubstr("r3/task/train/shard 2"));
  EXPECT_THAT(text, HasSubstr("40  r3/task/train/shard 2"));
  EXPECT_THAT(text, HasSubstr("idle"));
  EXPECT_THAT(WorkerListText({}), HasSubstr("no workers"));
}

TEST(WorkerList, Json_HasNullForAnIdleOne) {
  const auto json = nlohmann::json::parse(WorkerListJson(TwoWorkers()));

  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["unit"], "r3/task/train/shard 2");
  EXPECT_TRUE(json[1]["unit"].is_null());
  EXPECT_EQ(WorkerListJson({}), "[]\n");
}

}  // namespace
}  // namespace meanfield::cli
