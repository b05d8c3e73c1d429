// meanfield init and meanfield corpus as programs, and what init prints trains.
#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/integration/training_fixture.h"

namespace meanfield::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DataCommandsTest : public TrainingTest {
 protected:
  ProcessResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), Program("meanfield"));
    return RunProcess(arguments, {.folder = folder_.path()});
  }
  // Writes the job that init prints for these files.
  std::string Init(std::vector<std::string> files) {
    files.insert(files.begin(), "init");
    const ProcessResult result = Run(files);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, IsEmpty());
    return folder_.Write("job.textproto", result.out);
  }
  ProcessResult DryRun(const std::string& job) {
    return Run({"train", job, "--workers", "1", "--dry-run"});
  }
};

TEST_F(DataCommandsTest, InitOfEveryFormat_IsTakenByDryRun) {
  const std::string conllu =
      "1\ta\ta\tDET\tD\t_\t0\troot\t_\t_\n"
      "2\tb\tb\tNOUN\tN\t_\t1\tx\t_\t_\n\n";
  folder_.Write("a.conllu", conllu + conllu);
  folder_.Write("a.csv", "text,label\nso it is,x\nnot so,y\nis it,x\n");
  folder_.Write("a.tsv", "x\tso it is\ny\tnot \"so\nx\tis it\n");
  for (const std::string file :
       {"train.txt", "train.conll", "a.conllu", "a.csv", "a.tsv"}) {
    SCOPED_TRACE(file);
    const ProcessResult result = DryRun(Init({file}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr(file));
  }
}

TEST_F(DataCommandsTest, InitOfTexts_TrainsAsItIs) {
  const std::string job = Init({"train.txt", "dev.txt", "test.txt"});
  const ProcessResult result = RunProcess(TrainCommand(job, "out", 2));

  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GE(Report("out")["final"]["test"]["accuracy"].get<double>(), 0.8);
}

TEST_F(DataCommandsTest, InitOfTags_TrainsAsItIs) {
  const std::string job = Init({"train.conll", "dev.conll"});
  const ProcessResult result =
      RunProcess(TrainCommand(job, "out", 1, {"--set", "stop.max_epochs=2"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(DataCommandsTest, InitOfWhatIsNoCorpus_EndsWithCodeTwo) {
  folder_.Write("novel.txt", "It is a truth universally\nacknowledged, that\n");
  const ProcessResult result = Run({"init", "novel.txt"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("novel.txt: saw no columns"));
  EXPECT_EQ(Run({"init"}).exit_code, 2);
}

TEST_F(DataCommandsTest, Corpus_ShowsFilesAndJobAlike) {
  const ProcessResult files = Run({"corpus", "train.txt", "dev.txt", "--json"});
  ASSERT_EQ(files.exit_code, 0) << files.err;
  const auto json = nlohmann::json::parse(files.out);
  EXPECT_EQ(json["splits"]["train"]["texts"], 400);
  EXPECT_EQ(json["splits"]["dev"]["texts"], 100);
  EXPECT_EQ(json["format"], "fasttext");

  const ProcessResult job = Run({"corpus", ClassifierJob(1, 1), "--json"});
  ASSERT_EQ(job.exit_code, 0) << job.err;
  const auto of_job = nlohmann::json::parse(job.out);
  EXPECT_EQ(of_job["splits"]["train"], [&] {
    auto train = json["splits"]["train"];
    train["file"] = of_job["splits"]["train"]["file"];
    return train;
  }());
}

TEST_F(DataCommandsTest, CorpusWithBadLines_ShowsThemAndEndsWithCodeTwo) {
  folder_.Write("bad.txt", "__label__a x y\nno label\n__label__b z\n");
  const ProcessResult result = Run({"corpus", "bad.txt"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, HasSubstr("bad.txt:2: saw \"no label\""));
  EXPECT_THAT(result.err, HasSubstr("on_bad_line: SKIP"));
}

// A label that only dev has must be told of, not end in an index error.
TEST_F(DataCommandsTest, LabelOnlyInDev_TrainsWithAWarning) {
  folder_.Write("dev.txt", "__label__never seen this\n" +
                               ReadFile(folder_.File("dev.txt")));
  const ProcessResult shown = Run({"corpus", "train.txt", "dev.txt"});
  EXPECT_THAT(shown.out, HasSubstr("labels that only dev has"));

  const ProcessResult trained =
      RunProcess(TrainCommand(ClassifierJob(1, 1), "out", 1));
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.out + trained.err,
              HasSubstr("label \"never\" (1 here) does not occur"));
}

TEST_F(DataCommandsTest, TrainWithoutDev_SaysWhatThatMeans) {
  const ProcessResult result = RunProcess(TrainCommand(
      folder_.Write("job.textproto",
                    "task { corpus { fasttext { train: 'train.txt' } } model { "
                    "text_classifier {} } training { loss: MEAN } } stop { "
                    "max_epochs: 1 }"),
      "out", 1));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out + result.err, HasSubstr("no dev data"));
}

TEST_F(DataCommandsTest, OnBadLine_IsCountedInReportAndManifest) {
  folder_.Write("train.txt",
                "no label\n" + ReadFile(folder_.File("train.txt")));
  const std::string job = ClassifierJob(1, 1);
  EXPECT_EQ(RunProcess(TrainCommand(job, "out", 1)).exit_code, 2);

  const ProcessResult result = RunProcess(
      TrainCommand(job, "out", 1, {"--set", "task.corpus.on_bad_line=SKIP"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("1 text left out because of 1 bad line"),
                    HasSubstr("train.txt:1: saw \"no label\"")));
  const auto manifest =
      nlohmann::json::parse(ReadFile(Out("out") + "/manifest.json"));
  int left_out = 0;
  for (const auto& file : manifest["files"]) {
    left_out += file["bad_lines"]["texts_left_out"].get<int>();
  }
  EXPECT_EQ(left_out, 1);
  EXPECT_THAT(Report("out")["warnings"].dump(),
              HasSubstr("1 text left out because of 1 bad line"));
}

}  // namespace
}  // namespace meanfield::testing
