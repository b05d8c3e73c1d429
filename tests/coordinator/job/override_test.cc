#include <string>
#include <vector>

#include "coordinator/job/job.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::job {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OverrideTest : public ::testing::Test {
 protected:
  OverrideTest() {
    folder_.Write("train.txt", "__label__a one\n");
    folder_.Write("dev.txt", "__label__a one\n");
  }

  JobResult Load(const std::vector<std::string>& overrides,
                 const std::string& more = "") const {
    JobSource source;
    source.text =
        "task {\n"
        "  name: \"topics\"\n"
        "  corpus { fasttext { train: \"train.txt\" dev: \"dev.txt\" } }\n"
        "  model { text_classifier { embeddings { one_hot {} } } }\n"
        "}\n"
        "server_optimizer { avg { learning_rate: 0.5 } }\n"
        "stop { max_rounds: 3 }\n" +
        more;
    source.path = folder_.File("job.textproto");
    source.overrides = overrides;
    return LoadJob(source);
  }

  std::string FaultsOf(const std::vector<std::string>& overrides,
                       const std::string& more = "") const {
    return FormatFaults(Load(overrides, more).faults);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(OverrideTest, Scalar_IsReplaced) {
  const JobResult result = Load({"stop.max_rounds=9", "seed=7"});

  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(result.job.stop().max_rounds(), 9u);
  EXPECT_EQ(result.job.seed(), 7u);
}

TEST_F(OverrideTest, OneTask_NeedsNoSelector) {
  const JobResult result = Load({"task.training.batch_size=64"});

  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(result.job.task(0).training().batch_size(), 64u);
}

TEST_F(OverrideTest, Task_IsSelectedByNameOrNumber) {
  EXPECT_EQ(Load({"task[topics].metric=macro_f1"}).job.task(0).metric(),
            "macro_f1");
  EXPECT_EQ(Load({"task[0].metric=macro_f1"}).job.task(0).metric(), "macro_f1");
}

TEST_F(OverrideTest, MessageBody_SwitchesTheOneof) {
  const JobResult result =
      Load({"server_optimizer=nesterov{learning_rate:0.7 momentum:0.9}"});

  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_FALSE(result.job.server_optimizer().has_avg());
  EXPECT_EQ(result.job.server_optimizer().nesterov().learning_rate(), 0.7);
}

TEST_F(OverrideTest, LastPart_MaySwitchTheOneof) {
  const JobResult result = Load(
      {"server_optimizer.momentum={momentum: 0.5}", "schedule.local_steps=10"},
      "schedule { local_epochs: 2 }");

  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(result.job.server_optimizer().momentum().momentum(), 0.5);
  EXPECT_EQ(result.job.schedule().local_steps(), 10u);
}

TEST_F(OverrideTest, EarlierPart_MustNotSwitchTheOneof) {
  EXPECT_EQ(FaultsOf({"server_optimizer.momentum.momentum=0.5"}),
            "--set server_optimizer.momentum.momentum=0.5:1:18: the job has "
            "\"avg\" here, not \"momentum\"; to switch, give the whole: --set "
            "'server_optimizer.momentum={ ... }'\n");
}

TEST_F(OverrideTest, List_IsReplaced) {
  const JobResult result = Load({"gpus=[2, 3]"}, "gpus: [0, 1, 5]");

  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.job.gpus(), ElementsAre(2u, 3u));
}

TEST_F(OverrideTest, RepeatedMessage_IsReplacedByOne) {
  const JobResult result = Load(
      {"task.model.text_classifier.embeddings=one_hot{embedding_size: 5}"});

  EXPECT_THAT(result.faults, IsEmpty());
  const auto& classifier = result.job.task(0).model().text_classifier();
  ASSERT_EQ(classifier.embeddings_size(), 1);
  EXPECT_EQ(classifier.embeddings(0).one_hot().embedding_size(), 5u);
}

TEST_F(OverrideTest, String_NeedsNoQuotes) {
  EXPECT_EQ(Load({"name=run-7"}).job.name(), "run-7");
  EXPECT_EQ(Load({"name=\"run-7\""}).job.name(), "run-7");
  EXPECT_EQ(Load({"name='run-7'"}).job.name(), "run-7");
}

TEST_F(OverrideTest, InheritedTraining_StartsFromTheJobs) {
  const JobResult result =
      Load({"task.training.batch_size=64"},
           "training { batch_size: 8 adam { learning_rate: 0.25 } }");

  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(result.job.task(0).training().batch_size(), 64u);
  EXPECT_EQ(result.job.task(0).training().adam().learning_rate(), 0.25);
}

TEST_F(OverrideTest, OverrideThatNothingReads_IsAFault) {
  EXPECT_THAT(FaultsOf({"task.training.batch_size=4", "training.batch_size=8"}),
              HasSubstr("--set training.batch_size=8:1:1: the job's "
                        "\"training\" is used by no task"));
}

TEST_F(OverrideTest, UnknownPart_SuggestsTheNearest) {
  EXPECT_THAT(FaultsOf({"task.trainnig.batch_size=64"}),
              HasSubstr("--set task.trainnig.batch_size=64:1:6: no field "
                        "\"trainnig\" in task[0]; did you mean \"training\"?"));
}

TEST_F(OverrideTest, Path_MayNotMissAPart) {
  EXPECT_THAT(FaultsOf({"task..metric=accuracy"}),
              HasSubstr(":1:6: a part of the path is missing"));
  EXPECT_THAT(FaultsOf({"=3"}), HasSubstr(":1:1: a part of the path"));
  EXPECT_THAT(FaultsOf({"stop."}), HasSubstr("expected path=value"));
  EXPECT_THAT(FaultsOf({"batch_size=3"}),
              HasSubstr("it belongs in task.training"));
}

TEST_F(OverrideTest, SamePathTwice_IsAFault) {
  EXPECT_THAT(
      FaultsOf({"task.metric=accuracy", "task[topics].metric=macro_f1"}),
      HasSubstr("\"task[0].metric\" is set twice, first by --set "
                "task.metric=accuracy"));
}

TEST_F(OverrideTest, WrongSelector_ListsTheTasks) {
  EXPECT_THAT(FaultsOf({"task[topic].metric=accuracy"}),
              HasSubstr("no task[topic]; it has 1: topics"));
  EXPECT_THAT(FaultsOf({"stop[0].max_rounds=3"}), HasSubstr("is no list"));
  EXPECT_THAT(FaultsOf({"gpus[0]=3"}, "gpus: 1"),
              HasSubstr("replaces a whole list"));
}

TEST_F(OverrideTest, WrongValue_IsAFaultAtItsPlace) {
  EXPECT_EQ(FaultsOf({"task.training.batch_size=0"}),
            "--set task.training.batch_size=0:1:26: \"batch_size\" must be "
            "from 1 to 65536, not 0\n");
  EXPECT_THAT(FaultsOf({"seed=1 2"}),
              HasSubstr(":1:8: unexpected 2 after the value"));
  EXPECT_THAT(FaultsOf({"seed="}), HasSubstr(":1:6: \"seed\" takes a whole"));
  EXPECT_THAT(FaultsOf({"seed=[1]"}), HasSubstr("takes a whole number, not"));
  EXPECT_THAT(FaultsOf({"stop=max_rounds: 3 }"}), HasSubstr("extra '}'"));
}

}  // namespace
}  // namespace meanfield::job
