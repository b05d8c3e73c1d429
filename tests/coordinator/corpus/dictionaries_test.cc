#include "coordinator/corpus/dictionaries.h"

#include <string>
#include <vector>

#include "coordinator/corpus/ngrams.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace meanfield::corpus {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Dictionaries Small() {
  return {.embeddings = {{EmbeddingKind::kOneHot,
                          Dictionary({"<unk>", "a", "\xC3\xA4",
                                      std::string("n\0l", 3)})}},
          .labels = Dictionary({"<unk>", "x", "y"}),
          .label_kind = LabelKind::kDocument,
          .ngram_size = 3,
          .ngram_buckets = 8};
}

// With every kind of embeddings.
Dictionaries Stacked() {
  return {
      .embeddings = {{EmbeddingKind::kWordVectors, Dictionary({"the", "of"})},
                     {EmbeddingKind::kCharacters,
                      Dictionary({"<unk>", "e", "\xE2\x82\xAC"})},
                     {EmbeddingKind::kWordVectors, Dictionary()}},
      .labels = Dictionary({"O", "S-A", "<START>", "<STOP>"}),
      .label_kind = LabelKind::kSpan};
}

TEST(Dictionaries, Json_RoundTrips) {
  for (const Dictionaries& dictionaries : {Small(), Stacked()}) {
    const std::string json = dictionaries.ToJson();
    ASSERT_OK_AND_ASSIGN(const Dictionaries parsed, Dictionaries::Parse(json));
    EXPECT_TRUE(parsed == dictionaries);
    EXPECT_EQ(parsed.ToJson(), json);
  }
}

TEST(Dictionaries, WrongJson_NamesWhatIsWrong) {
  const auto parse_with = [](std::string from, std::string to) {
    std::string json = Small().ToJson();
    const size_t at = json.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return Dictionaries::Parse(json.replace(at, from.size(), to)).status();
  };
  const auto invalid = [](std::string_view part) {
    return StatusIs(absl::StatusCode::kInvalidArgument,
                    HasSubstr(std::string(part)));
  };
  EXPECT_THAT(parse_with("\"embeddings\"", "\"embedding\""),
              invalid("lacks embeddings"));
  EXPECT_THAT(parse_with("\"items\"", "\"words\""),
              invalid("embeddings[0] lacks items"));
  EXPECT_THAT(
      parse_with("one_hot", "two_hot"),
      invalid("embeddings[0].type is not one of one_hot, word_vectors"));
  EXPECT_THAT(parse_with("one_hot", "word_vectors"),
              invalid("needs exactly one of embeddings, one_hot"));
  EXPECT_THAT(parse_with("\"a\"", "\"<unk>\""),
              invalid("embeddings[0].items has \"<unk>\" twice"));
  EXPECT_THAT(parse_with("\"<unk>\"", "\"b\""),
              invalid("embeddings[0].items starts with \"b\""));
  EXPECT_THAT(parse_with("\"type\": \"one_hot\"",
                         "\"type\": \"one_hot\", \"type\": \"one_hot\""),
              invalid("has \"type\" twice"));
  EXPECT_THAT(parse_with("\"multi_label\": false", "\"multi_label\": 0"),
              invalid("multi_label is not true or false"));
  EXPECT_THAT(parse_with("\"ngram_size\": 3", "\"ngram_size\": 3, \"z\": 1"),
              invalid("unknown key, \"z\""));
  EXPECT_THAT(
      parse_with("\"ngram_size\": 3", "\"ngram_size\": 3, \"ngram_size\": 3"),
      invalid("has \"ngram_size\" twice"));
  EXPECT_THAT(parse_with("document", "span"), invalid("expected \"O\""));
  EXPECT_THAT(parse_with("document", "page"), invalid("label_kind"));
  EXPECT_THAT(parse_with("\"y\"", "\"x\""), invalid("has \"x\" twice"));
  EXPECT_THAT(parse_with("\"y\"", "7"), invalid("labels[2] is not a string"));
  EXPECT_THAT(parse_with(": 8", ": 8.5"), invalid("ngram_buckets"));
  EXPECT_THAT(parse_with(": 8", ": 0"), invalid("needs ngram_buckets"));
  EXPECT_THAT(parse_with(": 8", ": 2147483647"), invalid("2^31"));
  EXPECT_THAT(parse_with("{", "["), invalid("not a JSON object"));
  EXPECT_THAT(parse_with("document", "\xFF"), invalid("not a JSON object"));
}

TEST(Dictionaries, MultiLabelOfTokens_IsRefused) {
  Dictionaries dictionaries = Stacked();
  dictionaries.multi_label = true;
  EXPECT_THAT(Dictionaries::Parse(dictionaries.ToJson()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("multi_label needs label_kind document")));
}

TEST(EmbeddingDictionary, OneHot_HasNoFallbacks) {
  const EmbeddingDictionary words{EmbeddingKind::kOneHot,
                                  Dictionary({"<unk>", "the", "0"})};
  EXPECT_EQ(words.Row("the"), 1);
  EXPECT_EQ(words.Row("The"), 0);
  EXPECT_EQ(words.Row("7"), 0);
  EXPECT_EQ(words.NumRows(), 3);
}

TEST(EmbeddingDictionary, WordVectors_FallBackAsFlairDoes) {
  const EmbeddingDictionary words{
      EmbeddingKind::kWordVectors,
      Dictionary({"the", "The", "on##", "00", "#1", "\xC3\xA4", "x1"})};
  EXPECT_EQ(words.Row("the"), 0);
  EXPECT_EQ(words.Row("The"), 1);
  EXPECT_EQ(words.Row("THE"), 0);
  EXPECT_EQ(words.Row("On42"), 2);
  EXPECT_EQ(words.Row("42"), 3);
  EXPECT_EQ(words.Row("\xC3\x84"), 5);          // Ä
  EXPECT_EQ(words.Row("\xD9\xA1\xD9\xA2"), 3);  // Arabic-Indic digits
  EXPECT_EQ(words.Row("X1"), 6);
  EXPECT_EQ(words.Row("X2"), 7);
  EXPECT_EQ(words.Row(""), 7);
  EXPECT_EQ(words.NumRows(), 8);
}

// Trained models depend on these values.
TEST(HashNgram, Values_ArePinned) {
  const auto hash = [](std::vector<std::string_view> words) {
    return HashNgram(words);
  };
  EXPECT_EQ(hash({"new", "york"}), 0x35D01F31A55F8FCEu);
  EXPECT_EQ(hash({"Straße", "\u200B"}), 0x02E73F56B2830A48u);
  EXPECT_EQ(hash({"a", "b", "c"}), 0x3C1DBC39E7FA8054u);
  EXPECT_NE(hash({"ab", "c"}), hash({"a", "bc"}));
}

}  // namespace
}  // namespace meanfield::corpus
