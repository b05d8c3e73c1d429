#include "coordinator/corpus/survey.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::corpus {
namespace {

using ::meanfield::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class SurveyTest : public ::testing::Test {
 protected:
  // `format`: text proto of the corpus, with TRAIN and DEV for the files.
  CorpusSurvey Survey(const std::string& train, const std::string& dev,
                      std::string format, LoadOptions options = {}) {
    const auto replace = [&](const std::string& what, const std::string& text) {
      if (const size_t at = format.find(what); at != std::string::npos) {
        format.replace(at, what.size(), "'" + folder_.Write(what, text) + "'");
      }
    };
    replace("TRAIN", train);
    replace("DEV", dev);
    proto::Corpus corpus;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(format, &corpus));
    absl::StatusOr<CorpusFormat> made = MakeCorpusFormat(corpus);
    EXPECT_TRUE(made.ok()) << made.status();
    absl::StatusOr<CorpusSurvey> survey =
        SurveyCorpus(*std::move(made), options);
    EXPECT_TRUE(survey.ok()) << survey.status();
    return *std::move(survey);
  }
  CorpusSurvey SurveyTags(const std::string& train,
                          const std::string& dev = "a\tO\n") {
    return Survey(train, dev,
                  "conll { train: TRAIN dev: DEV label_column: 1 }");
  }
  CorpusSurvey SurveyTexts(const std::string& train, const std::string& dev) {
    return Survey(train, dev, "label_text { train: TRAIN dev: DEV }");
  }

  const TemporaryFolder folder_;
};

// The finding of this kind; an empty one where there is none.
Finding Get(const CorpusSurvey& survey, const std::string& kind) {
  for (const Finding& finding : survey.findings) {
    if (finding.kind == kind) return finding;
  }
  return {};
}

TEST_F(SurveyTest, Splits_AreCountedAndMeasured) {
  const CorpusSurvey survey =
      SurveyTexts("x\ta b c\ny\ta\n\nx\ta b\n", "x\ta z z z\n");

  ASSERT_THAT(survey.splits, SizeIs(2));
  const SplitSurvey& train = survey.splits[0];
  EXPECT_EQ(train.texts, 3u);
  EXPECT_EQ(train.tokens, 6u);
  EXPECT_EQ(train.words, 3u);
  EXPECT_EQ(train.lengths.min, 1u);
  EXPECT_EQ(train.lengths.median, 2u);
  EXPECT_EQ(train.lengths.mean, 2);
  EXPECT_EQ(train.lengths.max, 3u);
  EXPECT_THAT(train.labels, ElementsAre(Pair("x", 2), Pair("y", 1)));
  EXPECT_EQ(survey.splits[1].unknown_tokens, 3u);
}

// T-072: the user must find the text that is too long.
TEST_F(SurveyTest, LongestText_IsNamedByItsLine) {
  const CorpusSurvey survey = SurveyTags("a\tO\n\n# b\tO\nc\tO\n\nd\tO\n");
  EXPECT_EQ(survey.splits[0].lengths.longest_line, 3u);
}

TEST_F(SurveyTest, SpanTags_AreCountedAsTagsAndAsSpans) {
  const CorpusSurvey survey = SurveyTags("a\tB-X\nb\tI-X\nc\tO\nd\tB-Y\n");

  EXPECT_EQ(survey.label_kind, LabelKind::kSpan);
  EXPECT_THAT(survey.splits[0].spans, ElementsAre(Pair("X", 1), Pair("Y", 1)));
  EXPECT_THAT(survey.splits[0].labels, SizeIs(4));
}

TEST_F(SurveyTest, LabelOnlyInDev_IsNamedWithItsFirstLine) {
  const Finding finding = Get(SurveyTexts("x\ta\ny\tb\n", "x\tc\nz\td\nz\te\n"),
                              "labels_only_in_dev");

  EXPECT_EQ(finding.count, 1u);
  EXPECT_THAT(finding.examples, ElementsAre(HasSubstr("DEV:2: \"z\", 2×")));
}

TEST_F(SurveyTest, TextsOfDevThatAreTrainedOn_NameBothPlaces) {
  const Finding finding =
      Get(SurveyTexts("x\ta b\ny\tb\n", "y\tc\ny\ta  b\n"), "shared_with_dev");

  EXPECT_EQ(finding.count, 1u);
  EXPECT_THAT(finding.examples[0], HasSubstr("DEV:2 is "));
  EXPECT_THAT(finding.examples[0], HasSubstr("TRAIN:1: \"a b\""));
}

TEST_F(SurveyTest, Duplicates_AreTextsToldApartFromTheirLabels) {
  const CorpusSurvey survey =
      SurveyTexts("x\ta b\ny\ta b\nx\ta b\nx\tb a\n", "x\tq\n");

  EXPECT_EQ(Get(survey, "duplicates").count, 2u);
  EXPECT_THAT(Get(survey, "conflicting_labels").examples,
              ElementsAre(HasSubstr("TRAIN:2 repeats line 1")));
}

TEST_F(SurveyTest, LabelsThatDifferInCaseOrHyphen_StandTogether) {
  const CorpusSurvey tags =
      SurveyTags("a\tB-PER\nb\tB-per\nc\tB-work_of-art\nd\tB-work-of-art\n");

  const Finding finding = Get(tags, "similar_labels");
  EXPECT_EQ(finding.count, 2u);
  EXPECT_THAT(finding.examples[0], HasSubstr("\"PER\" 1×"));
  EXPECT_THAT(finding.examples[0], HasSubstr("\"per\" 1×"));
}

TEST_F(SurveyTest, LabelsWithFewExamples_AreRare) {
  std::string train = "z\tonce\n";
  for (int i = 0; i < 5; ++i) train += "x\tw" + std::to_string(i) + "\n";
  EXPECT_THAT(Get(SurveyTexts(train, "x\tq\n"), "rare_labels").examples,
              ElementsAre(HasSubstr("TRAIN:1: \"z\", 1×")));
}

TEST_F(SurveyTest, TransitionsThatNoSchemeHas_AreCounted) {
  const Finding finding =
      Get(SurveyTags("a\tO\nb\tI-X\nc\tI-Y\n\nd\tB-X\ne\tI-X\n"),
          "odd_transitions");
  EXPECT_EQ(finding.count, 1u);
  EXPECT_THAT(finding.examples[0], HasSubstr("TRAIN:1: 2 in the sentence"));
}

TEST_F(SurveyTest, OddCharacters_AreNamedByLine) {
  const CorpusSurvey survey = SurveyTags(
      "a\x02z\tO\nb\xE2\x80\x8Bz\tO\nc\xEF\xBF\xBD\tO\nd\xC2\xA0z\tB-X\n");

  EXPECT_THAT(Get(survey, "control_characters").examples,
              ElementsAre(HasSubstr("TRAIN:1: ")));
  EXPECT_EQ(Get(survey, "invisible_characters").count, 1u);
  EXPECT_EQ(Get(survey, "replacement_characters").count, 1u);
  EXPECT_EQ(Get(survey, "no_break_spaces").count, 1u);
}

TEST_F(SurveyTest, BadLines_AreReportedWhateverTheJobSays) {
  const CorpusSurvey strict = SurveyTexts("x\ta\nno tab\n", "x\tb\n");
  EXPECT_EQ(strict.num_bad_lines(), 1u);
  EXPECT_EQ(strict.files[0].bad_lines.texts_left_out, 1u);

  const CorpusSurvey mended =
      Survey("x\ta\nx b\n", "", "label_text { train: TRAIN } on_bad_line: FIX");
  EXPECT_EQ(mended.num_bad_lines(), 0u);
  EXPECT_EQ(mended.files[0].bad_lines.fixed.count(), 1u);
}

TEST_F(SurveyTest, HeldOutTexts_AreASplitOfTheirOwn) {
  const CorpusSurvey survey =
      Survey("x\ta\ny\tb\nx\tc\ny\td\n", "", "label_text { train: TRAIN }",
             {.dev_fraction = 0.25, .seed = 3});
  ASSERT_THAT(survey.splits, SizeIs(2));
  EXPECT_TRUE(survey.splits[1].held_out);
  EXPECT_EQ(survey.splits[0].texts, 3u);
}

TEST_F(SurveyTest, CleanCorpus_HasNoFindings) {
  std::string train;
  for (int i = 0; i < 6; ++i) {
    train += "x\ta" + std::to_string(i) + "\ny\tb" + std::to_string(i) + "\n";
  }
  EXPECT_THAT(SurveyTexts(train, "x\tq\n").findings, IsEmpty());
}

}  // namespace
}  // namespace meanfield::corpus
