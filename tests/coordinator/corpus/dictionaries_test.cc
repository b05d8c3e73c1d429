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
  return {
      .words = Dictionary({"<unk>", "a", "\xC3\xA4", std::string("n\0l", 3)}),
      .labels = Dictionary({"<unk>", "x", "y"}),
      .label_kind = LabelKind::kDocument,
      .ngram_size = 3,
      .ngram_buckets = 8};
}

using Strings = std::vector<std::string>;

TEST(Dictionaries, Json_RoundTrips) {
  const std::string json = Small().ToJson();
  ASSERT_OK_AND_ASSIGN(const Dictionaries parsed, Dictionaries::Parse(json));
  EXPECT_TRUE(parsed == Small());
  EXPECT_EQ(parsed.ToJson(), json);
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
  EXPECT_THAT(parse_with("\"words\"", "\"wordz\""), invalid("lacks words"));
  EXPECT_THAT(parse_with("\"ngram_size\": 3", "\"ngram_size\": 3, \"z\": 1"),
              invalid("unknown key, \"z\""));
  EXPECT_THAT(
      parse_with("\"ngram_size\": 3", "\"ngram_size\": 3, \"ngram_size\": 3"),
      invalid("ngram_size twice"));
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

TEST(Dictionaries, Encode_AppendsNgramsOfUnknownWordsToo) {
  const Dictionaries dictionaries = Small();
  const std::vector<int32_t> ids =
      dictionaries.Encode(Strings{"a", "new", "a"});

  ASSERT_EQ(ids.size(), 3 + 3u);
  EXPECT_THAT(std::vector(ids.begin(), ids.begin() + 3), ElementsAre(1, 0, 1));
  const std::vector<std::string_view> words = {"a", "new", "a"};
  const std::span all(words);
  const auto bucket = [&](std::span<const std::string_view> ngram) {
    return 4 + static_cast<int32_t>(HashNgram(ngram) % 8);
  };
  EXPECT_THAT(std::vector(ids.begin() + 3, ids.end()),
              ElementsAre(bucket(all.first(2)), bucket(all),
                          bucket(all.subspan(1, 2))));
}

TEST(Dictionaries, EncodeOfFewWords_HasNoNgrams) {
  EXPECT_THAT(Small().Encode(Strings{"a"}), ElementsAre(1));
  EXPECT_THAT(Small().Encode(Strings{}), ::testing::IsEmpty());
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
