#include "coordinator/job/job.h"

#include <filesystem>
#include <string>

#include "coordinator/job/findings.h"
#include "coordinator/job/job_text.h"
#include "coordinator/job/position_table.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::job {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The seven jobs of the design; those that can run are examples.
const char* const kJobs[] = {
    "deploy/examples/sections.textproto",
    "tests/coordinator/job/jobs/ner.textproto",
    "tests/coordinator/job/jobs/tickets.textproto",
    "tests/coordinator/job/jobs/charlm.textproto",
    "tests/coordinator/job/jobs/multitask.textproto",
    "tests/coordinator/job/jobs/qe.textproto",
    "tests/coordinator/job/jobs/diloco.textproto",
};

TEST(SevenJobs, Parse) {
  for (const char* name : kJobs) {
    ASSERT_OK_AND_ASSIGN(const JobSource source,
                         ReadJobSource(fs::path(MEANFIELD_SOURCE_DIR) / name));
    Findings findings(source.path);
    PositionTable positions;
    proto::JobSpec job;

    EXPECT_TRUE(ReadJobText(source, job, positions, findings));

    EXPECT_EQ(FormatFaults(findings.Faults()), "");
    EXPECT_EQ(job.task_size(), job.shared_size() + 1) << name;
  }
}

class JobTest : public ::testing::Test {
 protected:
  JobTest() {
    folder_.Write("data/train.txt", "__label__a one\n");
    folder_.Write("data/dev.txt", "__label__a one\n");
    folder_.Write("data/train.conll", "one A\n");
  }

  JobSource Source(const std::string& text) const {
    JobSource source;
    source.text = text;
    source.path = folder_.File("data/topics.v2.textproto");
    return source;
  }
  JobSource Classifier(const std::string& more = "") const {
    return Source(
        "task { corpus { fasttext { train: \"train.txt\" dev: \"dev.txt\" } } "
        "model { text_classifier {} } }\n" +
        more + " stop { max_rounds: 3 }");
  }
  JobSource Tagger() const {
    return Source(
        "task { corpus { conll { train: \"train.conll\" label_column: 1 } "
        "dev_fraction: 0.1 } model { sequence_tagger {} } "
        "training { adamw {} } } stop { max_epochs: 3 }");
  }

  testing::TemporaryFolder folder_;
};

TEST_F(JobTest, Defaults_OfAClassifier) {
  const JobResult result = LoadJob(Classifier());

  ASSERT_THAT(result.faults, IsEmpty());
  const proto::Task& task = result.job.task(0);
  EXPECT_EQ(result.job.name(), "topics.v2");
  EXPECT_EQ(result.job.seed(), 42u);
  EXPECT_EQ(result.job.shards(), 1u);
  EXPECT_EQ(result.job.schedule().local_epochs(), 1u);
  EXPECT_EQ(result.job.server_optimizer().avg().learning_rate(), 1);
  EXPECT_EQ(task.metric(), "accuracy");
  EXPECT_EQ(task.training().sgd().learning_rate(), 0.1);
  EXPECT_TRUE(task.model().text_classifier().has_bag());
  EXPECT_EQ(
      task.model().text_classifier().embeddings(0).one_hot().embedding_size(),
      300u);
}

TEST_F(JobTest, Defaults_OfATagger) {
  const JobResult result = LoadJob(Tagger());

  ASSERT_THAT(result.faults, IsEmpty());
  const proto::Task& task = result.job.task(0);
  const proto::Rnn& rnn = task.model().sequence_tagger().rnn();
  EXPECT_FALSE(task.has_metric());  // Depends on the corpus.
  EXPECT_EQ(rnn.hidden_size(), 256u);
  EXPECT_TRUE(rnn.bidirectional());
  EXPECT_THAT(task.training().adamw().betas(), ElementsAre(0.9, 0.999));
}

TEST_F(JobTest, Defaults_OfARecurrentClassifier) {
  const JobResult result = LoadJob(
      Source("task { corpus { fasttext { train: \"train.txt\" dev: "
             "\"dev.txt\" } } model { text_classifier { rnn {} multi_label: "
             "true } } training { linear_decay {} } } stop { max_rounds: 3 }"));

  ASSERT_THAT(result.faults, IsEmpty());
  const proto::Task& task = result.job.task(0);
  const proto::TextClassifier& classifier = task.model().text_classifier();
  EXPECT_EQ(task.metric(), "micro_f1");
  EXPECT_EQ(classifier.rnn().hidden_size(), 128u);
  EXPECT_FALSE(classifier.rnn().bidirectional());
  EXPECT_EQ(classifier.dropout(), 0.5);
  EXPECT_TRUE(classifier.has_reproject_words());
  EXPECT_FALSE(task.training().linear_decay().has_warmup_steps());
  EXPECT_FALSE(task.training().has_micro_batch_size());
}

TEST_F(JobTest, Bag_HasNoFieldsOfAnRnn) {
  const JobResult result = LoadJob(Classifier());

  ASSERT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(ExplainJob(result.job), ::testing::Not(HasSubstr("dropout")));
  EXPECT_THAT(ExplainJob(result.job), ::testing::Not(HasSubstr("reproject")));
}

TEST_F(JobTest, WordVectors_StartFromTheJobFileToo) {
  folder_.Write("data/glove.txt", "the 1 2\n");
  JobSource source = Tagger();
  source.overrides = {
      "task.model.sequence_tagger.embeddings="
      "[{word_vectors{file:\"glove.txt\"}}]"};

  const JobResult result = LoadJob(source);

  ASSERT_EQ(FormatFaults(result.faults), "");
  EXPECT_EQ(result.job.task(0)
                .model()
                .sequence_tagger()
                .embeddings(0)
                .word_vectors()
                .file(),
            folder_.File("data/glove.txt"));
}

TEST_F(JobTest, DefaultShards_AreUsedWhereTheJobHasNone) {
  JobSource source = Classifier();
  source.default_shards = 6;
  EXPECT_EQ(LoadJob(source).job.shards(), 6u);

  source = Classifier("shards: 2");
  source.default_shards = 6;
  EXPECT_EQ(LoadJob(source).job.shards(), 2u);
}

TEST_F(JobTest, JobsTraining_MovesIntoTheTask) {
  const JobResult result =
      LoadJob(Classifier("training { batch_size: 5 loss: MEAN }"));

  ASSERT_THAT(result.faults, IsEmpty());
  EXPECT_FALSE(result.job.has_training());
  EXPECT_EQ(result.job.task(0).training().batch_size(), 5u);
  EXPECT_EQ(result.job.task(0).training().loss(), proto::Training::MEAN);
}

TEST_F(JobTest, Paths_StartFromTheJobFile) {
  const JobResult result = LoadJob(Classifier());

  EXPECT_EQ(result.job.task(0).corpus().fasttext().train(),
            folder_.File("data/train.txt"));
}

TEST_F(JobTest, Paths_StartFromTheCorpusRoot) {
  folder_.Write("elsewhere/train.txt", "__label__a one\n");
  folder_.Write("elsewhere/dev.txt", "__label__a one\n");
  JobSource source = Classifier();
  source.corpus_root = folder_.File("elsewhere");

  const JobResult result = LoadJob(source);

  ASSERT_THAT(result.faults, IsEmpty());
  EXPECT_EQ(result.job.task(0).corpus().fasttext().dev(),
            folder_.File("elsewhere/dev.txt"));
}

TEST_F(JobTest, TrainFileAsDevFile_IsAWarning) {
  JobSource source = Classifier();
  source.overrides = {"task.corpus.fasttext.dev=train.txt"};

  const JobResult result = LoadJob(source);

  EXPECT_THAT(result.faults, IsEmpty());
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("the dev file is the train file")));
}

TEST_F(JobTest, NoDevSplit_IsAWarning) {
  JobSource source = Tagger();
  source.text.erase(source.text.find("dev_fraction: 0.1"), 17);

  EXPECT_THAT(LoadJob(source).warnings, ElementsAre(HasSubstr("no dev split")));
}

TEST_F(JobTest, Explained_LoadsToTheSameJob) {
  for (const JobSource& source :
       {Tagger(), Classifier("shards: 3 gpus: [0, 1] weight_by: TOKENS")}) {
    const JobResult first = LoadJob(source);
    ASSERT_THAT(first.faults, IsEmpty());

    const JobResult second = LoadJob(Source(ExplainJob(first.job)));

    EXPECT_THAT(second.faults, IsEmpty());
    EXPECT_EQ(ExplainJob(second.job), ExplainJob(first.job));
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(second.job,
                                                                   first.job));
  }
}

TEST_F(JobTest, ByteOrderMarkAndWindowsLineEnds_AreFine) {
  JobSource source = Classifier();
  source.text = "\xEF\xBB\xBF" + source.text + "\r\n# end\r\n";

  EXPECT_THAT(LoadJob(source).faults, IsEmpty());
}

TEST_F(JobTest, TooLarge_IsOneFault) {
  JobSource source = Classifier();
  source.text.append(kMaxJobBytes, '\n');

  EXPECT_THAT(LoadJob(source).faults, SizeIs(1));
}

TEST_F(JobTest, ManyFaults_AreCutOffAndCounted) {
  JobSource source;
  for (int i = 0; i < 5000; ++i) source.text += "x: 1\n";

  const JobResult result = LoadJob(source);

  EXPECT_THAT(result.faults, SizeIs(Findings::kMaxFaults + 1));
  EXPECT_THAT(result.faults.back().message, HasSubstr("and 4902 more faults"));
}

TEST_F(JobTest, ToStatus_HoldsEveryFault) {
  const auto status =
      ToStatusOr(LoadJob(Classifier("shards: 0 evaluate_every: 0"))).status();

  EXPECT_THAT(status, testing::StatusIs(
                          absl::StatusCode::kInvalidArgument,
                          ::testing::AllOf(HasSubstr("the job has 2 faults:\n"),
                                           HasSubstr("shards"),
                                           HasSubstr("evaluate_every"))));
  EXPECT_OK(ToStatusOr(LoadJob(Classifier())));
}

TEST(ReadJobSource, NamesAFileThatIsMissing) {
  testing::TemporaryFolder folder;

  EXPECT_THAT(ReadJobSource(folder.File("no.textproto")),
              testing::StatusIs(absl::StatusCode::kNotFound,
                                HasSubstr(folder.File("no.textproto"))));
  EXPECT_THAT(ReadJobSource(folder.path()),
              testing::StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("is a folder")));
}

TEST(ReadJobSource, ReadsNoMoreThanItNeeds) {
  testing::TemporaryFolder folder;
  const std::string path =
      folder.Write("big.textproto", std::string(4 * kMaxJobBytes, '\n'));

  ASSERT_OK_AND_ASSIGN(const JobSource source, ReadJobSource(path));

  EXPECT_EQ(source.text.size(), kMaxJobBytes + 1);
}

}  // namespace
}  // namespace meanfield::job
