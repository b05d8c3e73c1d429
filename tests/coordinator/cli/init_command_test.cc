// init's output is a job that `train --dry-run` would take, for every format.
#include "coordinator/cli/init_command.h"

#include <string>

#include "coordinator/cli/job_writer.h"
#include "coordinator/job/job.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::cli {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class InitTest : public ::testing::Test {
 protected:
  // The job for one file, as text.
  absl::StatusOr<std::string> Init(const std::string& text,
                                   corpus::GuessOptions guess = {}) {
    return MakeJob({.paths = {folder_.Write("data", text)}, .guess = guess},
                   folder_.path());
  }
  // The same as `train` reads it.
  proto::JobSpec Load(const std::string& text) {
    const absl::StatusOr<std::string> job = Init(text);
    EXPECT_TRUE(job.ok()) << job.status();
    if (!job.ok()) return {};
    job::JobResult result =
        job::LoadJob({.text = *job, .path = folder_.File("job.textproto")});
    EXPECT_TRUE(result.faults.empty()) << job::FormatFaults(result.faults);
    return result.job;
  }

  const testing::TemporaryFolder folder_;
};

std::string Repeat(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST_F(InitTest, SpanTags_GetATaggerWithACrf) {
  const proto::JobSpec job =
      Load(Repeat("Anna\tB-PER\nruns\tO\n\nKiel\tB-LOC\n.\tO\n\n", 10));

  const proto::Task& task = job.task(0);
  EXPECT_TRUE(task.model().sequence_tagger().crf());
  EXPECT_EQ(task.model().sequence_tagger().embeddings_size(), 2);
  EXPECT_EQ(task.corpus().dev_fraction(), 0.1);
  EXPECT_TRUE(task.training().has_reduce_on_plateau());
}

TEST_F(InitTest, FilesWithoutBlankLines_AreCut) {
  const proto::JobSpec job =
      Load(Repeat("Emmanuel I-PER\nDesoles I-PER\nde O\n. O\n", 80));
  EXPECT_EQ(job.task(0).corpus().conll().max_sentence_tokens(), 100u);
}

TEST_F(InitTest, PosTags_GetATaggerWithout) {
  const proto::JobSpec job = Load(
      Repeat("1\ta\ta\tDET\tD\t_\t0\troot\t_\t_\n2\tb\tb\tNOUN\tN\t_\t1\tx\t_"
             "\t_\n\n",
             12));
  EXPECT_EQ(job.task(0).corpus().conllu().label(), "upos");
  EXPECT_FALSE(job.task(0).model().sequence_tagger().crf());
}

TEST_F(InitTest, FastText_GetsABagOfBigrams) {
  const proto::JobSpec job =
      Load(Repeat("__label__a good words\n__label__b other words\n", 10));
  EXPECT_EQ(job.task(0).model().text_classifier().ngrams().size(), 2u);
  EXPECT_EQ(job.task(0).metric(), "accuracy");
  EXPECT_EQ(job.shards(), 1u);
}

TEST_F(InitTest, SeveralLabelsATextMakeItMultiLabel) {
  const proto::JobSpec job = Load(
      Repeat("__label__a __label__b good words\n__label__b other words\n", 10));
  EXPECT_TRUE(job.task(0).model().text_classifier().multi_label());
}

TEST_F(InitTest, Csv_KeepsHeaderAndDelimiter) {
  const proto::JobSpec job = Load(
      "id|review text|sentiment\n" +
      Repeat("1|a good film|pos\n2|a bad film|neg\n3|not my film|neg\n", 5));
  const proto::CsvFiles& csv = job.task(0).corpus().csv();
  EXPECT_EQ(csv.delimiter(), "|");
  EXPECT_EQ(csv.text_column(), "review text");
  EXPECT_EQ(csv.label_column(), "sentiment");
}

TEST_F(InitTest, UnbalancedLabels_AreScoredByMacroF1) {
  const proto::JobSpec job =
      Load(Repeat("ham\tso it is\n", 30) + Repeat("spam\twin it now\n", 4));
  EXPECT_EQ(job.task(0).metric(), "macro_f1");
}

TEST_F(InitTest, OtherEncodings_AreNamed) {
  const proto::JobSpec job =
      Load(Repeat("a\tStra\xDF"
                  "e der Stadt\nb\tohne sie\n",
                  6));
  EXPECT_EQ(job.task(0).corpus().encoding(), "iso-8859-1");
}

TEST_F(InitTest, BadLines_AreToldOfAndSettled) {
  const std::string good = Repeat("a\tgood words\nb\tother words\n", 10);
  ASSERT_OK_AND_ASSIGN(const std::string skip, Init(good + "no tab\n"));
  EXPECT_THAT(skip, AllOf(HasSubstr("on_bad_line: SKIP"),
                          HasSubstr("data:21: saw no TAB")));
  ASSERT_OK_AND_ASSIGN(const std::string fix, Init(good + "a no tab\n"));
  EXPECT_THAT(fix, HasSubstr("on_bad_line: FIX"));
}

TEST_F(InitTest, TooFewTextsToHoldOut_TrainWithoutDev) {
  const proto::JobSpec job =
      Load("a\tgood words\nb\tother words\na\tmore it\n");
  EXPECT_FALSE(job.task(0).corpus().has_dev_fraction());
}

TEST_F(InitTest, NoCorpus_NamesFileAndReason) {
  EXPECT_THAT(Init("It is a truth universally\nacknowledged\n"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("data: saw no columns of one width")));
  EXPECT_THAT(
      Init("a\tone label\na\tonly is here\n",
           {.format = "label_text", .text_column = "1", .label_column = "0"}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("there is nothing to learn")));
  EXPECT_THAT(MakeJob({.paths = {folder_.File("none")}}, folder_.path()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none")));
}

TEST(JobWriter, AnyText_StaysInItsCommentOrString) {
  JobWriter job;
  job.Comment("a\nmodel {}\r\x1B[2J");
  job.String("train", "a\"b\\c\n\xFF");
  EXPECT_THAT(job.text(), Not(HasSubstr("\nmodel")));
  EXPECT_THAT(job.text(), HasSubstr("train: \"a\\\"b\\\\c\\n\\377\"\n"));
}

}  // namespace
}  // namespace meanfield::cli
