#include <string>
#include <vector>

#include "coordinator/corpus/column_reader.h"
#include "coordinator/corpus/conllu_reader.h"
#include "coordinator/corpus/csv_reader.h"
#include "coordinator/corpus/fasttext_reader.h"
#include "coordinator/corpus/label_text_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/corpus/recording_sink.h"
#include "tests/support/status_matchers.h"

namespace meanfield::corpus {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Row(std::string_view id, std::string_view form,
                std::string_view upos, std::string_view feats = "_",
                std::string_view misc = "_") {
  const auto text = [](std::string_view s) { return std::string(s); };
  return text(id) + "\t" + text(form) + "\tlemma\t" + text(upos) + "\tX\t" +
         text(feats) + "\t0\troot\t_\t" + text(misc) + "\n";
}

TEST(FastTextReader, LabelEndsAtTabOrBlank) {
  const RecordingSink sink =
      ReadText(FastTextReader(), "__label__a\tone two\n__label__b three\n");

  ASSERT_THAT(sink.samples, SizeIs(2));
  EXPECT_THAT(sink.samples[0].labels, ElementsAre("a"));
  EXPECT_THAT(sink.samples[0].tokens, ElementsAre("one", "two"));
  EXPECT_EQ(sink.samples[1].line, 2u);
}

TEST(FastTextReader, LinesOutOfFormat_AreAllReported) {
  const RecordingSink sink = ReadText(
      FastTextReader(),
      "no label\n__label__ x\n__label__a __label__b x\n__label__a x\n");

  EXPECT_THAT(sink.fault_lines, ElementsAre(1, 2, 3));
  EXPECT_THAT(sink.faults[0], HasSubstr("saw \"no label\", expected a line"));
  EXPECT_THAT(sink.faults[2], HasSubstr("second label, \"__label__b\""));
  EXPECT_THAT(sink.samples, SizeIs(1));
}

TEST(LabelTextReader, QuotesAndFurtherTabs_AreText) {
  const RecordingSink sink =
      ReadText(LabelTextReader(), "ham\tsaid \"hi\tthere\r\nspam\twin\n");

  ASSERT_THAT(sink.samples, SizeIs(2));
  EXPECT_THAT(sink.samples[0].tokens, ElementsAre("said", "\"hi", "there"));
}

TEST(LabelTextReader, NoTabOrNoLabel_IsAFault) {
  const RecordingSink sink = ReadText(LabelTextReader(), "ham hi\n\tx\n");
  EXPECT_THAT(sink.fault_lines, ElementsAre(1, 2));
}

TEST(ColumnReader, RowsWithUnusualColumnCounts_AreFaults) {
  const RecordingSink sink =
      ReadText(ColumnReader({}), "Die Stadt O\na O\nb O\n, (L3> O x\nc O\n");

  EXPECT_THAT(sink.fault_lines, ElementsAre(1, 4));
  EXPECT_THAT(sink.faults[0], HasSubstr("saw 3 columns (split at blanks)"));
  EXPECT_THAT(sink.faults[0], HasSubstr("expected 2 as in most rows"));
}

TEST(ColumnReader, TooFewColumns_NamesTheColumnsAsked) {
  const RecordingSink sink =
      ReadText(ColumnReader({.text_column = 0, .label_column = 3}), "a\tO\n");

  EXPECT_THAT(sink.fault_lines, ElementsAre(1));
  EXPECT_THAT(sink.faults[0], HasSubstr("expected at least 4"));
}

TEST(ColumnReader, EmptyToken_IsAFaultNotASentenceEnd) {
  const RecordingSink sink = ReadText(ColumnReader({}), "a\tO\n\tO\n \tO\n");
  EXPECT_THAT(sink.fault_lines, ElementsAre(2, 3));
}

TEST(ColumnReader, BlanksAroundTabs_AreNotPartOfFields) {
  const RecordingSink sink = ReadText(ColumnReader({}), "New York \tB-LOC \n");

  ASSERT_THAT(sink.samples, SizeIs(1));
  EXPECT_THAT(sink.samples[0].tokens, ElementsAre("New York"));
  EXPECT_THAT(sink.samples[0].tags, ElementsAre("B-LOC"));
}

TEST(ColumnReader, CommentPrefix_SkipsOnlyThoseLines) {
  const RecordingSink sink = ReadText(ColumnReader({.comment_prefix = "# "}),
                                      "# id = 1\n#\tO\n#Kiel\tO\n");

  EXPECT_THAT(sink.faults, IsEmpty());
  ASSERT_THAT(sink.samples, SizeIs(1));
  EXPECT_THAT(sink.samples[0].tokens, ElementsAre("#", "#Kiel"));
  EXPECT_EQ(sink.samples[0].line, 2u);
}

TEST(ColumnReader, LongSentence_IsCutAfterItsLastFullStop) {
  const RecordingSink sink =
      ReadText(ColumnReader({.max_sentence_tokens = 4}),
               "a O\n. O\nb O\nc O\nd O\n. O\ne O\n\nf O\n");

  ASSERT_THAT(sink.samples, SizeIs(4));
  EXPECT_THAT(sink.samples[0].tokens, ElementsAre("a", "."));
  EXPECT_THAT(sink.samples[1].tokens, ElementsAre("b", "c", "d", "."));
  EXPECT_THAT(sink.samples[2].tokens, ElementsAre("e"));
  EXPECT_EQ(sink.samples[2].line, 7u);
  EXPECT_THAT(sink.samples[3].tokens, ElementsAre("f"));
}

TEST(ColumnReader, LongSentenceWithoutFullStop_IsCutOutsideOfNames) {
  const RecordingSink sink =
      ReadText(ColumnReader({.max_sentence_tokens = 3}),
               "a O\nb B-X\nc I-X\nd I-X\ne I-X\nf I-X\ng O\n");

  ASSERT_THAT(sink.samples, SizeIs(3));
  EXPECT_THAT(sink.samples[0].tokens, ElementsAre("a"));
  // A name that is longer than a piece must be cut somewhere.
  EXPECT_THAT(sink.samples[1].tokens, ElementsAre("b", "c", "d"));
  EXPECT_THAT(sink.samples[2].tokens, ElementsAre("e", "f", "g"));
}

TEST(ColumnReader, BadRowOfALongSentence_SpoilsItsPieceOnly) {
  const RecordingSink sink =
      ReadText(ColumnReader({.max_sentence_tokens = 2}),
               "a O\nb\nc O\nd O\n. O\ne O\n", BadLines::kLeaveOut);

  ASSERT_THAT(sink.samples, SizeIs(2));
  EXPECT_THAT(sink.samples[0].tokens, ElementsAre("d", "."));
  EXPECT_THAT(sink.samples[1].tokens, ElementsAre("e"));
}

TEST(ConlluReader, FeatsAndMiscKeys_AreLabels) {
  const std::string text =
      Row("1", "Tag", "NOUN", "Case=Nom|Number=Sing", "NER=B-X") +
      Row("2", "und", "CCONJ");

  const RecordingSink number =
      ReadText(ConlluReader(*ParseConlluLabel("feats:Number")), text);
  const RecordingSink ner =
      ReadText(ConlluReader(*ParseConlluLabel("misc:NER")), text);

  EXPECT_THAT(number.samples.at(0).tags, ElementsAre("Sing", "_"));
  EXPECT_THAT(ner.samples.at(0).tags, ElementsAre("B-X", "_"));
}

TEST(ConlluReader, OddIds_AreFaults) {
  const RecordingSink sink =
      ReadText(ConlluReader({}), Row("1", "a", "X") + Row("1-", "b", "X") +
                                     Row("x", "c", "X") + Row("3-4", "d", "_"));
  EXPECT_THAT(sink.fault_lines, ElementsAre(2, 3));
}

TEST(ParseConlluLabel, UnknownName_ListsTheKnown) {
  EXPECT_THAT(ParseConlluLabel("pos"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("upos, xpos, deprel")));
  EXPECT_FALSE(ParseConlluLabel("feats:").ok());
}

const CsvReaderOptions kNamed = {.header = true,
                                 .delimiter = ';',
                                 .text_column = "message",
                                 .label_column = "topic"};

TEST(CsvReader, HeaderNames_FindTheColumns) {
  const RecordingSink sink = ReadText(
      CsvReader(kNamed), "topic;id;message\nA;1;\"x \"\"y\"\"\"\n\nB;2;z\n");

  ASSERT_THAT(sink.samples, SizeIs(2));
  EXPECT_THAT(sink.samples[0].labels, ElementsAre("A"));
  EXPECT_THAT(sink.samples[0].tokens, ElementsAre("x", "\"y\""));
  EXPECT_EQ(sink.samples[1].line, 4u);
}

TEST(CsvReader, MissingColumn_ListsTheHeader) {
  const RecordingSink sink = ReadText(CsvReader(kNamed), "a;b\n1;2\n");

  EXPECT_THAT(
      sink.status,
      StatusIs(absl::StatusCode::kInvalidArgument,
               ::testing::AllOf(HasSubstr("corpus.txt:1: saw 2 columns"),
                                HasSubstr("\"a\", \"b\""),
                                HasSubstr("text_column \"message\""))));
}

const CsvReaderOptions kNumbered = {.text_column = "0", .label_column = "1"};

TEST(CsvReader, NewlinesInQuotes_CountAsLines) {
  const RecordingSink sink =
      ReadText(CsvReader(kNumbered), "\"two\nlines\",a\r\nx,b,c\r\ny,d");

  EXPECT_THAT(sink.fault_lines, ElementsAre(3));
  EXPECT_THAT(sink.faults[0], HasSubstr("saw 3 columns, expected 2"));
  EXPECT_THAT(sink.samples, SizeIs(2));
  EXPECT_EQ(sink.samples[1].line, 4u);
}

TEST(CsvReader, QuoteNeverClosed_NamesWhereItOpened) {
  const RecordingSink sink =
      ReadText(CsvReader(kNumbered), "a,x\n\"open,x\nb,y\n");

  EXPECT_THAT(sink.fault_lines, ElementsAre(2));
  EXPECT_THAT(sink.faults[0], HasSubstr("line 2 is never closed"));
}

TEST(CsvReader, TextAfterClosingQuote_IsAFault) {
  const RecordingSink sink = ReadText(CsvReader(kNumbered), "\"a\"b,x\nc,y\n");

  EXPECT_THAT(sink.fault_lines, ElementsAre(1));
  EXPECT_THAT(sink.samples, SizeIs(1));
}

TEST(CsvReader, QuotesInsidePlainFields_AreCharacters) {
  const RecordingSink sink = ReadText(CsvReader(kNumbered), "say \"hi\",x\n");
  EXPECT_THAT(sink.samples.at(0).tokens, ElementsAre("say", "\"hi\""));
}

}  // namespace
}  // namespace meanfield::corpus
