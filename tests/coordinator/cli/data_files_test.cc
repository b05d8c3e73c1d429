#include "coordinator/cli/data_files.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::cli {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kLabelText[] = "a\tsome text\nb\tother text\na\tmore of it\n";
constexpr char kConll[] = "Anna\tB-PER\nruns\tO\n\nKiel\tB-LOC\n.\tO\n";

class DataFilesTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name,
                    const std::string& text = kLabelText) {
    return folder_.Write(name, text);
  }
  const testing::TemporaryFolder folder_;
};

TEST_F(DataFilesTest, Names_TellSplitsInAnyOrder) {
  ASSERT_OK_AND_ASSIGN(
      const DataFiles files,
      AssignSplits({"x/eng.testb", "x/eng.testa", "x/wnut17train.conll"}, {}));
  EXPECT_EQ(files.train, "x/wnut17train.conll");
  EXPECT_EQ(files.dev, "x/eng.testa");
  EXPECT_EQ(files.test, "x/eng.testb");
}

TEST_F(DataFilesTest, NamesThatDoNotTell_GoByOrder) {
  ASSERT_OK_AND_ASSIGN(const DataFiles files,
                       AssignSplits({"a.csv", "b.csv", "latest_eval.csv"}, {}));
  EXPECT_EQ(files.train, "a.csv");
  EXPECT_EQ(files.dev, "b.csv");
  EXPECT_EQ(files.test, "latest_eval.csv");
}

TEST_F(DataFilesTest, OneFile_IsTrainedOnWhateverItsName) {
  ASSERT_OK_AND_ASSIGN(const DataFiles files, AssignSplits({"test.csv"}, {}));
  EXPECT_EQ(files.train, "test.csv");
}

TEST_F(DataFilesTest, TwoOfASplitOrTooMany_AreRefused) {
  EXPECT_THAT(AssignSplits({"dev1.csv", "dev2.csv"}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("both look like dev")));
  EXPECT_THAT(
      AssignSplits({"a", "b", "c", "d"}, {}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("saw 4 files")));
}

TEST_F(DataFilesTest, Folder_TakesWhatIsNamedAndReadable) {
  Write("ner.train", kConll);
  Write("ner.dev", kConll);
  Write("ner.test", "only\nwords\n");  // without tags
  Write("ner.test.gold", kConll);
  Write("README.md", "about");
  Write("old.train.gz", "x");
  ASSERT_OK_AND_ASSIGN(const DataFiles files,
                       AssignSplits({folder_.path()}, {}));
  EXPECT_EQ(files.train, folder_.File("ner.train"));
  EXPECT_EQ(files.test, folder_.File("ner.test.gold"));
}

TEST_F(DataFilesTest, FolderThatDoesNotTell_ListsItsFiles) {
  Write("a.csv");
  Write("b.csv");
  EXPECT_THAT(AssignSplits({folder_.path()}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("saw a.csv, b.csv"),
                             HasSubstr("name the files"))));
}

TEST_F(DataFilesTest, FolderWithOneCorpus_TakesIt) {
  Write("sms.tsv");
  Write("notes.txt", "words about the corpus\n");
  ASSERT_OK_AND_ASSIGN(const DataFiles files,
                       AssignSplits({folder_.path()}, {}));
  EXPECT_EQ(files.train, folder_.File("sms.tsv"));
}

TEST_F(DataFilesTest, FilesOfTwoFormats_AreRefused) {
  EXPECT_THAT(UnderstandFiles({Write("train"), Write("dev", kConll), ""}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("dev looks like conll"),
                             HasSubstr("train like label_text"))));
}

TEST_F(DataFilesTest, EncodingsAreJoined_WhereOneSuitsAll) {
  const std::string latin =
      "a\tStra\xDF"
      "e und Weg\nb\tohne sie\na\tsie\n";
  ASSERT_OK_AND_ASSIGN(
      const corpus::FormatGuess guess,
      UnderstandFiles({Write("train"), Write("dev", latin), ""}, {}));
  EXPECT_EQ(guess.corpus.encoding(), "iso-8859-1");
  EXPECT_EQ(guess.corpus.label_text().dev(), folder_.File("dev"));

  const std::string utf8 = "a\tStraße und Weg\nb\tohne sie\na\tsie\n";
  EXPECT_THAT(
      UnderstandFiles({Write("train", utf8), Write("dev", latin), ""}, {}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("convert them to one")));
}

}  // namespace
}  // namespace meanfield::cli
