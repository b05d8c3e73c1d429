#include "coordinator/corpus/word_vectors.h"

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/tensor/safetensors.h"
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

class WordVectorsTest : public ::testing::Test {
 protected:
  WordVectorsTest() : blobs_(*BlobStore::Open(folder_.File("blobs"))) {}

  absl::StatusOr<WordVectors> Read(const std::string& name,
                                   const std::string& bytes) {
    return ReadWordVectors(folder_.Write(name, bytes), "t.weight", blobs_);
  }
  std::vector<float> ValuesOf(const WordVectors& vectors) {
    const auto file = SafetensorsFile::Open(*blobs_.Path(vectors.tensor.file));
    EXPECT_EQ(file->tensors().size(), 1u);
    const TensorView tensor = *file->Get("t.weight", DType::kF32, 2);
    EXPECT_EQ(tensor.spec.shape, vectors.tensor.spec.shape);
    const std::span<const float> values = tensor.As<float>();
    return {values.begin(), values.end()};
  }
  static auto Refused(std::string_view why) {
    return StatusIs(absl::StatusCode::kInvalidArgument,
                    HasSubstr(std::string(why)));
  }
  static std::string Binary(const std::vector<float>& values) {
    std::string bytes(values.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }

  const TemporaryFolder folder_;
  BlobStore blobs_;
};

TEST_F(WordVectorsTest, GloveText_GetsARowOfZerosAtItsEnd) {
  ASSERT_OK_AND_ASSIGN(const WordVectors vectors,
                       Read("glove.txt", "the 1 -2.5\n, 3e-3 +4\n"));
  EXPECT_THAT(vectors.words.items(), ElementsAre("the", ","));
  EXPECT_THAT(vectors.tensor.spec.shape, ElementsAre(3, 2));
  EXPECT_THAT(ValuesOf(vectors), ElementsAre(1, -2.5, 3e-3f, 4, 0, 0));
  EXPECT_THAT(vectors.warnings, IsEmpty());
}

TEST_F(WordVectorsTest, Word2vecText_HasAHeaderAndBlanksAtLineEnds) {
  ASSERT_OK_AND_ASSIGN(const WordVectors vectors,
                       Read("w2v.txt",
                            "\xEF\xBB\xBF"
                            "2 2\nthe 1 2 \r\nof\t3 4 \r\n"));
  EXPECT_THAT(vectors.words.items(), ElementsAre("the", "of"));
  EXPECT_THAT(ValuesOf(vectors), ElementsAre(1, 2, 3, 4, 0, 0));
}

TEST_F(WordVectorsTest, Word2vecBinary_IsKnownByItsName) {
  for (const std::string_view end : {"", "\n"}) {
    const std::string bytes = "2 2\nthe " + Binary({1, 2}) + std::string(end) +
                              "of " + Binary({3, -4}) + std::string(end);
    ASSERT_OK_AND_ASSIGN(const WordVectors vectors, Read("w2v.bin", bytes));
    EXPECT_THAT(vectors.words.items(), ElementsAre("the", "of"));
    EXPECT_THAT(ValuesOf(vectors), ElementsAre(1, 2, 3, -4, 0, 0));
  }
}

TEST_F(WordVectorsTest, WordWithBlanks_IsAllBeforeTheValues) {
  ASSERT_OK_AND_ASSIGN(const WordVectors vectors,
                       Read("v", "a 1 2\n. . . 3 4\n5 6 7\n"));
  EXPECT_THAT(vectors.words.items(), ElementsAre("a", ". . .", "5"));
}

TEST_F(WordVectorsTest, OneValueAWord_IsAHeaderWhereItFits) {
  ASSERT_OK_AND_ASSIGN(const WordVectors vectors, Read("v", "7 1\na 0.5\n"));
  EXPECT_THAT(vectors.words.items(), ElementsAre("7", "a"));
  ASSERT_OK_AND_ASSIGN(const WordVectors other, Read("v", "1 1\na 0.5\n"));
  EXPECT_THAT(other.words.items(), ElementsAre("a"));
}

TEST_F(WordVectorsTest, RepeatedWord_CountsOnceWithAWarning) {
  ASSERT_OK_AND_ASSIGN(const WordVectors vectors,
                       Read("v", "a 1 2\nb 3 4\na 5 6\nb 7 8\n"));
  EXPECT_THAT(ValuesOf(vectors), ElementsAre(1, 2, 3, 4, 0, 0));
  EXPECT_THAT(vectors.warnings,
              ElementsAre(HasSubstr("v:3: 2 row(s) of words that were there "
                                    "before are left out, the first here "
                                    "(\"a\")")));
}

TEST_F(WordVectorsTest, WordThatIsNotUtf8_IsLeftOutWithAWarning) {
  ASSERT_OK_AND_ASSIGN(const WordVectors vectors,
                       Read("v", "a 1 2\n\xFF 3 4\n"));
  EXPECT_THAT(vectors.words.items(), ElementsAre("a"));
  EXPECT_THAT(vectors.warnings, ElementsAre(HasSubstr("v:2: 1 row(s) whose")));
}

TEST_F(WordVectorsTest, OddNumbers_AreReadOrRefused) {
  ASSERT_OK_AND_ASSIGN(const WordVectors vectors,
                       Read("v", "a 1e-50 -1e-400 3.4e38\n"));
  EXPECT_THAT(ValuesOf(vectors), ElementsAre(0, 0, 3.4e38f, 0, 0, 0));
  for (const std::string_view bad :
       {"nan", "inf", "1e39", "1e400", "1,5", "0x1", "1.5f", "--1", "the"}) {
    EXPECT_THAT(Read("v", "a 1 2\nb 3 " + std::string(bad) + "\n"),
                Refused("v:2: saw \"" + std::string(bad) +
                        "\" as value 2 of 2 of the word's vector, expected "
                        "a finite number"));
  }
}

TEST_F(WordVectorsTest, EveryBadLine_IsNamed) {
  EXPECT_THAT(Read("v", "a 1 2\nb 3\n\nc\nd 1 2\n"),
              Refused("v:2: saw \"b 3\", expected a word and 2 values"));
  EXPECT_THAT(Read("v", "a 1 2\nb 3\n\nc\nd 1 2\n"), Refused("v:4: saw \"c\""));
  EXPECT_THAT(Read("v", "a 1 2\n 3 4\n"), Refused("v:2: saw"));
}

TEST_F(WordVectorsTest, HeaderThatDoesNotFit_IsRefused) {
  EXPECT_THAT(
      Read("v", "3 2\na 1 2\nb 1 2\n"),
      Refused("saw 2 rows, the first line says 3: is the file complete"));
  EXPECT_THAT(Read("v", "2 3\na 1 2\nb 1 2\n"), Refused("v:2: saw \"a 1 2\""));
  EXPECT_THAT(Read("v", "9 99999999\na 1\n"),
              Refused("saw vectors of 99999999"));
}

TEST_F(WordVectorsTest, FilesOfOtherKinds_AreRefused) {
  EXPECT_THAT(Read("v", ""), Refused("is empty"));
  EXPECT_THAT(Read("v", "\n\n"), Refused("vectors of -1 values"));
  EXPECT_THAT(Read("v", "just\nwords\n"), Refused("vectors of 0 values"));
  EXPECT_THAT(Read("v.gz", "\x1F\x8B..."), Refused("gunzip"));
  EXPECT_THAT(Read("v.zip", "PK\x03\x04..."), Refused("unzip"));
  EXPECT_THAT(Read("v.bin", "\xBA\x16\x4F\x2F..."), Refused(".vec file"));
  EXPECT_THAT(ReadWordVectors(folder_.File("none"), "t", blobs_),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none")));
}

TEST_F(WordVectorsTest, BrokenBinary_NamesTheRow) {
  const std::string good =
      "2 2\nthe " + Binary({1, 2}) + "of " + Binary({3, 4});
  EXPECT_THAT(Read("v.bin", good.substr(0, good.size() - 1)),
              Refused("v.bin: row 2: saw 10 bytes"));
  EXPECT_THAT(Read("v.bin", good + "x"), Refused("1 bytes after the last"));
  EXPECT_THAT(Read("v.bin", "the 1 2\n"),
              Refused("expected the number of rows"));
  EXPECT_THAT(Read("v.bin", "4000000000000 2\nthe " + Binary({1, 2})),
              Refused("row 2"));
  EXPECT_THAT(Read("v.bin", "1 1\nthe " + Binary({1.0f / 0.0f})),
              Refused("v.bin: row 1: saw inf as value 1"));
  EXPECT_THAT(Read("v.bin", "0 2\n"), Refused("saw 0 rows"));
}

TEST_F(WordVectorsTest, SameFile_GivesTheSameBlob) {
  ASSERT_OK_AND_ASSIGN(const WordVectors a, Read("v", "a 1 2\n"));
  ASSERT_OK_AND_ASSIGN(const WordVectors b, Read("v", "a 1 2\n"));
  EXPECT_EQ(a.tensor.file, b.tensor.file);
}

}  // namespace
}  // namespace meanfield::corpus
