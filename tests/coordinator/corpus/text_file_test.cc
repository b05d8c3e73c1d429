#include "coordinator/corpus/text_file.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::corpus {
namespace {

using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> LinesOf(std::string bytes,
                                 Encoding encoding = Encoding::kUtf8) {
  const auto file = TextFile::FromBytes(std::move(bytes), "f", encoding);
  EXPECT_TRUE(file.ok()) << file.status();
  std::vector<std::string> lines;
  for (LineCursor cursor(*file); cursor.Next();) {
    lines.emplace_back(cursor.line());
  }
  return lines;
}

TEST(TextFile, LfAndCrlf_EndLinesAndAreNotPartOfThem) {
  EXPECT_THAT(LinesOf("a\r\nb\n\r\n\nc\r\r\n"),
              ElementsAre("a", "b", "", "", "c\r"));
}

TEST(TextFile, LastLineWithoutEnd_IsALine) {
  EXPECT_THAT(LinesOf("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(LinesOf(""), IsEmpty());
  EXPECT_THAT(LinesOf("\n"), ElementsAre(""));
}

TEST(TextFile, OnlyCarriageReturns_AreLineEnds) {
  EXPECT_THAT(LinesOf("a\rb\rc"), ElementsAre("a", "b", "c"));
}

TEST(TextFile, ByteOrderMark_IsStrippedAtByteZeroOnly) {
  EXPECT_THAT(LinesOf("\xEF\xBB\xBF"
                      "a\n\xEF\xBB\xBF"
                      "b\n"),
              ElementsAre("a",
                          "\xEF\xBB\xBF"
                          "b"));
}

TEST(TextFile, NulBytes_AreData) {
  EXPECT_THAT(LinesOf(std::string("a\0b\n", 4)),
              ElementsAre(std::string("a\0b", 3)));
}

TEST(TextFile, Latin1AndWindows1252_BecomeUtf8) {
  EXPECT_THAT(LinesOf("Stra\xDF"
                      "e \x80\n",
                      Encoding::kLatin1),
              ElementsAre("Straße \xC2\x80"));
  EXPECT_THAT(LinesOf("Stra\xDF"
                      "e \x80\n",
                      Encoding::kWindows1252),
              ElementsAre("Straße €"));
}

TEST(TextFile, InvalidUtf8_NamesLineByteAndOffset) {
  const auto file = TextFile::FromBytes(
      "ok\nK\xC3\xB6ln Stra\xDF"
      "e\nfine\n\xC0\xAF\n",
      "dir/f.txt", Encoding::kUtf8);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->faults().count(), 2u);
  const std::string message(file->faults().ToStatus(file->name()).message());
  EXPECT_THAT(message, HasSubstr("dir/f.txt:2: saw byte 0xDF (byte 11 of the "
                                 "line, offset 13 of the file), which is not "
                                 "utf-8"));
  EXPECT_THAT(message, HasSubstr("dir/f.txt:4: saw byte 0xC0"));
}

TEST(TextFile, Windows1252_UnassignedByteIsAFault) {
  const auto file =
      TextFile::FromBytes("a\n\x81\n", "f", Encoding::kWindows1252);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->faults().count(), 1u);
  EXPECT_EQ(file->faults().kept()[0].line, 2u);
}

TEST(TextFile, CompressedOrUtf16_IsRefusedByItsFirstBytes) {
  const auto open = [](std::string bytes) {
    return TextFile::FromBytes(std::move(bytes), "x.txt", Encoding::kLatin1);
  };
  EXPECT_THAT(open("\x1F\x8B\x08"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("x.txt is gzip-compressed; unpack it first")));
  EXPECT_THAT(
      open(std::string("\xFF\xFE"
                       "a\0",
                       4)),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is UTF-16")));
}

TEST(TextFile, Utf16WithoutByteOrderMark_IsRefused) {
  std::string bytes;
  for (const char c : std::string_view("some text\n")) {
    bytes += std::string(1, c) + std::string(1, '\0');
  }
  EXPECT_THAT(
      TextFile::FromBytes(bytes, "x.txt", Encoding::kUtf8),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("UTF-16")));
}

TEST(TextFile, IllFormedParts_BecomeOneReplacementEach) {
  const std::string replacement = "\xEF\xBF\xBD";
  // A cut sequence of three bytes; an overlong form, of which each byte counts.
  EXPECT_THAT(LinesOf("a\xF0\x9F\x98z\n\xC0\xAF\n\xE2\x82\n"),
              ElementsAre("a" + replacement + "z", replacement + replacement,
                          replacement));
}

TEST(TextFile, FaultyLines_AreAllKnown) {
  std::string bytes = "fine\n";
  for (int i = 0; i < 20; ++i) bytes += "\xFF\n";
  const auto file = TextFile::FromBytes(bytes, "f", Encoding::kUtf8);
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(file->IsFaulty(1, 1));
  EXPECT_TRUE(file->IsFaulty(1, 2));
  EXPECT_TRUE(file->IsFaulty(21, 21));
  EXPECT_FALSE(file->IsFaulty(22, 30));
}

TEST(TextFile, ByteOrderMarkOfUtf8_ContradictsOtherEncodings) {
  EXPECT_THAT(TextFile::FromBytes("\xEF\xBB\xBF"
                                  "a",
                                  "f", Encoding::kLatin1),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("byte order mark of UTF-8")));
}

TEST(TextFile, MissingFileAndFolder_NameThePath) {
  const TemporaryFolder folder;
  EXPECT_THAT(TextFile::Open(folder.File("none"), Encoding::kUtf8),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none")));
  EXPECT_THAT(
      TextFile::Open(folder.path(), Encoding::kUtf8),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is a folder")));
}

TEST(TextFile, MappedAndMoved_KeepsItsText) {
  const TemporaryFolder folder;
  ASSERT_OK_AND_ASSIGN(
      TextFile file,
      TextFile::Open(folder.Write("f", "one\ntwo\n"), Encoding::kUtf8));
  const TextFile moved = std::move(file);
  EXPECT_EQ(moved.text(), "one\ntwo\n");
}

TEST(ParseEncoding, UnknownName_ListsTheKnown) {
  EXPECT_EQ(*ParseEncoding("UTF-8"), Encoding::kUtf8);
  EXPECT_THAT(ParseEncoding("latin1"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected utf-8, iso-8859-1")));
}

}  // namespace
}  // namespace meanfield::corpus
