#include "coordinator/corpus/format_guess.h"

#include <string>

#include "coordinator/corpus/encoding_guess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::corpus {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

absl::StatusOr<FormatGuess> Guess(std::string text, GuessOptions options = {}) {
  const auto file = TextFile::FromBytes(std::move(text), "f", Encoding::kUtf8);
  EXPECT_TRUE(file.ok()) << file.status();
  return GuessFormat(*file, options);
}

// The corpus as text proto, or why there is none.
std::string Corpus(std::string text, const GuessOptions& options = {}) {
  const absl::StatusOr<FormatGuess> guess = Guess(std::move(text), options);
  return guess.ok() ? guess->corpus.ShortDebugString()
                    : std::string(guess.status().message());
}

std::string Repeat(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(GuessFormat, WordsAndTags_AreTwoColumns) {
  EXPECT_EQ(Corpus("Anna\tB-PER\nruns\tO\n\nKiel\tB-LOC\n.\tO\n"),
            "conll { text_column: 0 label_column: 1 }");
  EXPECT_EQ(Corpus("the DET\ncat NOUN\nsat VERB\n\na DET\ndog NOUN\n"),
            "conll { text_column: 0 label_column: 1 }");
}

TEST(GuessFormat, Conll2003_TakesTheNamesNotTheChunks) {
  EXPECT_EQ(Corpus("-DOCSTART- -X- O O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP "
                   "O\nGerman JJ B-NP B-MISC\n\nPeter NNP B-NP B-PER\n"
                   "Blackburn NNP I-NP I-PER\n"),
            "conll { text_column: 0 label_column: 3 }");
}

TEST(GuessFormat, IdsAndComments_AreNoWords) {
  EXPECT_EQ(Corpus("# id = 1\n1\tPå\tO\t-\n2\tSID\tB-ORG\t-\n\n# id = 2\n"
                   "1\ti\tO\t-\n2\tdag\tO\t-\n"),
            "conll { text_column: 1 label_column: 2 comment_prefix: \"# \" }");
}

TEST(GuessFormat, HashTags_AreNoComments) {
  EXPECT_EQ(Corpus("#Kiel\tB-LOC\n#\tO\n\nso\tO\n# what\tO\n"),
            "conll { text_column: 0 label_column: 1 }");
}

TEST(GuessFormat, TagsOfSpans_NeedNoBlankLines) {
  EXPECT_EQ(Corpus(Repeat("Emmanuel I-PER\nde O\nParis I-LOC\n", 3)),
            "conll { text_column: 0 label_column: 1 }");
}

TEST(GuessFormat, TenColumns_AreConllu) {
  const std::string row = "\tlemma\tNOUN\tN\t_\t0\troot\t_\t_\n";
  EXPECT_EQ(Corpus("# text = a\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta" + row +
                   "2\tb" + row),
            "conllu { label: \"upos\" }");
}

TEST(GuessFormat, Xpos_IsTakenWhereUposIsEmpty) {
  const auto row = [](const std::string& xpos) {
    return "1\ta\t_\t_\t" + xpos + "\t_\t0\troot\t_\t_\n";
  };
  EXPECT_EQ(Corpus(row("NN") + row("VB")), "conllu { label: \"xpos\" }");
}

TEST(GuessFormat, LabelPrefixes_AreFastText) {
  ASSERT_OK_AND_ASSIGN(const FormatGuess one,
                       Guess("__label__a x y\n__label__b z\n"));
  EXPECT_TRUE(one.corpus.has_fasttext());
  EXPECT_FALSE(one.multi_label);
  ASSERT_OK_AND_ASSIGN(const FormatGuess several,
                       Guess("__label__a __label__b x y\n__label__b z\n"));
  EXPECT_TRUE(several.multi_label);
}

TEST(GuessFormat, LabelTabText_KeepsStrayQuotes) {
  EXPECT_EQ(Corpus("ham\tsay \"hi\nspam\twin a prize\nham\tso it is\n"
                   "ham\t\"open\n"),
            "label_text { }");
}

TEST(GuessFormat, CsvWithHeader_NamesItsColumns) {
  EXPECT_EQ(Corpus("id;message;topic\n1;how do I pay;money\n2;\"where; is "
                   "it\";post\n3;who pays for it;money\n"),
            "csv { header: true delimiter: \";\" text_column: \"message\" "
            "label_column: \"topic\" }");
}

TEST(GuessFormat, CsvWithoutHeader_NumbersThem) {
  EXPECT_EQ(Corpus("good film of the year,pos\nbad film in a bad year,neg\n"
                   "a film like the others,pos\n"),
            "csv { header: false delimiter: \",\" text_column: \"0\" "
            "label_column: \"1\" }");
}

TEST(GuessFormat, OneTokenTexts_AreTextsByTheirLength) {
  EXPECT_EQ(
      Corpus(Repeat("jpn\tすべての人間は生まれながらにして自由であり平等であ"
                    "る尊厳と権利\nkor\t모든인간은태어날때부터자유로우며그존"
                    "엄과권리에있어동등하다모두가\n",
                    3)),
      "label_text { }");
}

TEST(GuessFormat, TwoLabelColumns_AreNotChosenBetween) {
  const std::string text = Repeat(
      "this is a text,a,x\nanother text it is,b,y\nthe last of the texts,a,y\n",
      4);
  EXPECT_THAT(Corpus(text),
              AllOf(HasSubstr("cannot tell which column holds the label"),
                    HasSubstr("--label-column"),
                    HasSubstr("column 2: 2 different values")));
  EXPECT_THAT(Corpus(text, {.label_column = "2"}),
              HasSubstr("text_column: \"0\" label_column: \"2\""));
}

TEST(GuessFormat, WhatIsSaid_IsNotGuessed) {
  EXPECT_EQ(Corpus("a|X\nb|Y\n", {.format = "conll", .delimiter = "|"}),
            "conll { text_column: 0 label_column: 1 delimiter: \"|\" }");
  EXPECT_THAT(Corpus("a b\nc d\n", {.format = "csv", .text_column = "7"}),
              HasSubstr("saw no columns"));
  EXPECT_THAT(Corpus("a,b c d\ne,f g h\n", {.text_column = "7"}),
              HasSubstr("--text-column is \"7\", but there are 2 columns"));
  EXPECT_THAT(Corpus("a b\n", {.format = "excel"}),
              HasSubstr("expected conll, conllu, fasttext"));
}

TEST(GuessFormat, NoCorpus_SaysWhatWasSeen) {
  EXPECT_THAT(Corpus("It is a truth universally acknowledged\nthat a man\n"),
              AllOf(HasSubstr("no columns of one width"),
                    HasSubstr("the first line is \"It is a truth")));
  EXPECT_THAT(Corpus("{\"text\": \"a\"}\n{\"text\": \"b\"}\n"),
              HasSubstr("saw JSON, an object a line, which is not read"));
  EXPECT_THAT(Corpus("<html>\n<body>\n"), HasSubstr("saw XML or HTML"));
  EXPECT_THAT(Corpus("1.5,2.5,0\n1.6,2.5,1\n1.7,2.6,0\n"),
              HasSubstr("cannot tell which column holds the text"));
  EXPECT_EQ(Corpus(""), "holds no text");
  EXPECT_EQ(Corpus("\n \n\t\n"), "holds no text");
}

TEST(GuessFormat, OfAPath_NamesItAndItsEncoding) {
  const testing::TemporaryFolder folder;
  ASSERT_OK_AND_ASSIGN(
      const FormatGuess guess,
      GuessFormat(folder.Write("f",
                               "a\tStra\xDF"
                               "e in der Stadt\nb\tso ist es\na\tgut\n"),
                  {}));
  EXPECT_EQ(guess.corpus.encoding(), "iso-8859-1");
  EXPECT_THAT(GuessFormat(folder.Write("empty", ""), {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("empty: holds no text")));
  EXPECT_THAT(GuessFormat(folder.Write("z", "\x1F\x8B\x08x"), {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("gzip-compressed")));
}

TEST(GuessEncoding, BytesThatOnlyOneEncodingHas_Decide) {
  EXPECT_EQ(*GuessEncoding("ascii"), Encoding::kUtf8);
  EXPECT_EQ(*GuessEncoding("Straße"), Encoding::kUtf8);
  EXPECT_EQ(*GuessEncoding("Stra\xDF"
                           "e"),
            Encoding::kLatin1);
  EXPECT_EQ(*GuessEncoding("\x93quoted\x94"), Encoding::kWindows1252);
}

TEST(GuessEncoding, AFewBadBytesInUtf8_AreBadLines) {
  EXPECT_EQ(*GuessEncoding("äöüßéèêë \xDF"), Encoding::kUtf8);
}

TEST(GuessEncoding, BytesThatNoneHas_AreNamed) {
  EXPECT_THAT(GuessEncoding("a\x81z"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("byte 0x81 at offset 1"),
                             HasSubstr("--encoding"))));
}

}  // namespace
}  // namespace meanfield::corpus
