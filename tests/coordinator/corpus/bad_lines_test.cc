// What each reader makes of bad lines: on_bad_line SKIP leaves their texts out,
// FIX mends what can be read in one way only.
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

namespace meanfield::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

RecordingSink Mend(const SampleReader& reader, std::string_view text) {
  return ReadText(reader, text, BadLines::kMend);
}

std::vector<std::string> Tokens(const RecordingSink& sink, size_t sample) {
  return sink.samples.at(sample).tokens;
}

TEST(BadColumns, LeftOut_WithTheirWholeSentenceOnly) {
  const RecordingSink sink =
      ReadText(ColumnReader({}), "a\tO\nb\n\nc\tO\n\nd\tS-\n\ne\tO\n");

  EXPECT_THAT(sink.fault_lines, ElementsAre(2, 6));
  EXPECT_THAT(sink.left_out, ElementsAre(1, 6));
  ASSERT_THAT(sink.samples, SizeIs(2));
  EXPECT_THAT(Tokens(sink, 0), ElementsAre("c"));
}

TEST(BadColumns, NotMendable_AreLeftOutAllTheSame) {
  const RecordingSink sink = Mend(ColumnReader({}), "a\tO\n\nb\n\nc\t\n");
  EXPECT_THAT(sink.fault_lines, ElementsAre(3, 5));
  EXPECT_THAT(sink.samples, SizeIs(1));
}

TEST(BadColumns, DoubleTab_IsReadWithoutTheEmptyColumn) {
  const RecordingSink sink =
      Mend(ColumnReader({}), "CHAPTER\t\tO\nEmma\tB-PER\nsmiled\tO\n");

  EXPECT_THAT(sink.fixed_lines, ElementsAre(1));
  EXPECT_THAT(sink.fixed[0], HasSubstr("saw 3 columns (split at TABs)"));
  EXPECT_THAT(sink.samples.at(0).tags, ElementsAre("O", "B-PER", "O"));
}

TEST(BadColumns, BlankInAWord_EndsWhereTheLastColumnIsATag) {
  const RecordingSink sink = Mend(
      ColumnReader({}), "Die O\nNew York B-LOC\nStadt B-LOC\n\n, (L3> O x\n");

  EXPECT_THAT(sink.fixed_lines, ElementsAre(2));
  EXPECT_THAT(Tokens(sink, 0), ElementsAre("Die", "New York", "Stadt"));
  EXPECT_THAT(sink.fault_lines, ElementsAre(5));  // "x" is no tag
}

TEST(BadColumns, EmptyToken_IsDroppedOutsideSpansOnly) {
  const RecordingSink sink =
      Mend(ColumnReader({}), "a\tO\n\tO\nb\tO\n\n\tB-LOC\nc\tI-LOC\n");

  EXPECT_THAT(sink.fixed_lines, ElementsAre(2));
  EXPECT_THAT(Tokens(sink, 0), ElementsAre("a", "b"));
  EXPECT_THAT(sink.left_out, ElementsAre(5));
}

TEST(BadColumns, TagWithoutClass_IsOutside) {
  const RecordingSink sink = Mend(ColumnReader({}), "a\tB-X\nb\tS-\n");
  EXPECT_THAT(sink.samples.at(0).tags, ElementsAre("B-X", "O"));
}

TEST(BadColumns, RowWithoutTheDelimiter_IsSplitAtBlanks) {
  const std::string text = "a\tO\nb O\n";
  const ColumnReader reader({.delimiter = '\t'});

  EXPECT_THAT(ReadText(reader, text).fault_lines, ElementsAre(2));
  EXPECT_THAT(Tokens(Mend(reader, text), 0), ElementsAre("a", "b"));
}

TEST(BadColumns, NoRowOfTheWidthAsked_IsNoCrash) {
  const RecordingSink sink =
      Mend(ColumnReader({.label_column = 3}), "\t\n,\na\tb\n");
  EXPECT_THAT(sink.samples, IsEmpty());
}

TEST(BadBytes, AreReplacedOrTheirSentenceIsLeftOut) {
  const std::string text =
      "Stra\xDF"
      "e\tO\n\nok\tO\n\n\xED\xA0\x80\tO\n";

  const RecordingSink mended = Mend(ColumnReader({}), text);
  EXPECT_THAT(Tokens(mended, 0), ElementsAre("Stra\xEF\xBF\xBD"
                                             "e"));
  EXPECT_THAT(Tokens(mended, 2),
              ElementsAre("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"));
  const RecordingSink rest = ReadText(ColumnReader({}), text);
  EXPECT_THAT(rest.left_out, ElementsAre(1, 5));
  EXPECT_THAT(rest.samples, SizeIs(1));
}

TEST(BadBytes, InsideAQuotedField_SpoilTheirRecord) {
  const RecordingSink sink =
      ReadText(CsvReader({.text_column = "0", .label_column = "1"}),
               "\"a\nb\xFF\",x\nc,y\n");
  EXPECT_THAT(sink.left_out, ElementsAre(1));
  EXPECT_THAT(sink.samples, SizeIs(1));
}

TEST(BadConllu, TrailingTabsBlanksAndEmptyLabels_AreMended) {
  const RecordingSink sink =
      Mend(ConlluReader({}),
           "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\t\n2 b _ Y _ _ 1 dep _ _\n"
           "3\tc\t_\t\t_\t_\t1\tdep\t_\t_\n");

  EXPECT_THAT(sink.fixed_lines, ElementsAre(1, 2, 3));
  EXPECT_THAT(sink.samples.at(0).tags, ElementsAre("X", "Y", "_"));
}

TEST(BadConllu, ElevenFullColumns_AreNot) {
  const RecordingSink sink =
      Mend(ConlluReader({}), "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\tmore\n");
  EXPECT_THAT(sink.fault_lines, ElementsAre(1));
}

TEST(BadFastText, BlanksBeforeTheLabel_AreDropped) {
  const std::string text = " \t__label__a x\nno label\n";

  EXPECT_THAT(ReadText(FastTextReader(), text).fault_lines, ElementsAre(1, 2));
  const RecordingSink sink = Mend(FastTextReader(), text);
  EXPECT_THAT(sink.fixed_lines, ElementsAre(1));
  EXPECT_THAT(Tokens(sink, 0), ElementsAre("x"));
  EXPECT_THAT(sink.left_out, ElementsAre(2));
}

TEST(BadLabelText, MissingTab_IsFoundAfterAKnownLabelOnly) {
  const RecordingSink sink =
      Mend(LabelTextReader(), "ham\thi\nham how are you\nwho knows\n");

  EXPECT_THAT(sink.fixed_lines, ElementsAre(2));
  EXPECT_THAT(Tokens(sink, 1), ElementsAre("how", "are", "you"));
  EXPECT_THAT(sink.fault_lines, ElementsAre(3));
}

const CsvReaderOptions kTextLast = {.text_column = "1", .label_column = "0"};

TEST(BadCsv, OneBadQuote_CostsOneLine) {
  const RecordingSink sink =
      ReadText(CsvReader(kTextLast), "a,\"open\nb,x\nc,\"closed\"\nd,y\n");

  EXPECT_THAT(sink.fault_lines, ElementsAre(1));
  EXPECT_THAT(sink.samples, SizeIs(3));
}

TEST(BadCsv, QuotesThatCanOnlyBeCharacters_AreRead) {
  const RecordingSink sink =
      Mend(CsvReader(kTextLast), "a,\"so\" he said\nb,\"never closed\n");

  EXPECT_THAT(sink.fixed_lines, ElementsAre(1, 2));
  EXPECT_THAT(Tokens(sink, 0), ElementsAre("\"so\"", "he", "said"));
  EXPECT_THAT(Tokens(sink, 1), ElementsAre("\"never", "closed"));
}

TEST(BadCsv, DelimitersInTheText_BelongToIt) {
  const RecordingSink last = Mend(CsvReader(kTextLast), "a,x\nb,y, z\n");
  EXPECT_THAT(Tokens(last, 1), ElementsAre("y,", "z"));

  const RecordingSink first = Mend(
      CsvReader({.text_column = "0", .label_column = "1"}), "x,a\ny, z,b\n");
  EXPECT_THAT(Tokens(first, 1), ElementsAre("y,", "z"));
  EXPECT_THAT(first.samples[1].labels, ElementsAre("b"));
}

TEST(BadCsv, EmptyColumnsTooMany_AreDropped) {
  const CsvReader reader({.text_column = "1", .label_column = "2"});
  const RecordingSink sink = Mend(reader, "1,x,a\n2,y,b,,\n3,z\n");

  EXPECT_THAT(sink.fixed_lines, ElementsAre(2));
  EXPECT_THAT(sink.fault_lines, ElementsAre(3));
}

TEST(SeveralLabels, OfATextAreAllRead) {
  const LabelRules rules = {.multi_label = true, .delimiter = '|'};

  EXPECT_THAT(ReadText(LabelTextReader(rules), "a | b|a\tx\n\ty\n")
                  .samples.at(0)
                  .labels,
              ElementsAre("a", "b"));
  const RecordingSink fasttext = ReadText(FastTextReader(/*multi_label=*/true),
                                          "__label__a __label__b x\ny\n");
  EXPECT_THAT(fasttext.samples.at(0).labels, ElementsAre("a", "b"));
  EXPECT_THAT(fasttext.samples.at(1).labels, IsEmpty());
}

TEST(ColumnDelimiter, ABlankSplitsAtRuns_AnythingElseAtEach) {
  EXPECT_THAT(
      Tokens(ReadText(ColumnReader({.delimiter = ' '}), "a\t \tO\n"), 0),
      ElementsAre("a"));
  const RecordingSink sink = ReadText(
      ColumnReader({.label_column = 2, .delimiter = '|'}), "New York||B-LOC\n");
  EXPECT_THAT(Tokens(sink, 0), ElementsAre("New York"));
  EXPECT_THAT(sink.faults, IsEmpty());
}

}  // namespace
}  // namespace meanfield::corpus
