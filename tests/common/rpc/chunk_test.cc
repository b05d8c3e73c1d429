#include "common/rpc/chunk.h"

#include <filesystem>
#include <string>

#include "common/blob/blob_store.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::rpc {
namespace {

using ::meanfield::testing::ReadFile;
using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::_;
using ::testing::HasSubstr;

std::string Pattern(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 131 >> 7);
  return bytes;
}

class ChunkTest : public ::testing::Test {
 protected:
  // The first chunk of a file with these bytes.
  proto::BlobChunk ChunkOf(const std::string& bytes) {
    proto::BlobChunk chunk;
    const auto reader = ChunkReader::Open(folder_.Write("source", bytes));
    EXPECT_OK(reader);
    EXPECT_OK(reader->Read(0, chunk));
    return chunk;
  }
  const TemporaryFolder folder_;
};

TEST_F(ChunkTest, FileOfManyChunks_ArrivesWhole) {
  const std::string bytes = Pattern(2 * kBlobChunkBytes + 17);
  ASSERT_OK_AND_ASSIGN(const ChunkReader reader,
                       ChunkReader::Open(folder_.Write("a", bytes)));
  ASSERT_OK_AND_ASSIGN(ChunkWriter writer,
                       ChunkWriter::Open(folder_.File("b"), bytes.size()));

  while (!writer.complete()) {
    proto::BlobChunk chunk;
    ASSERT_OK(reader.Read(writer.received(), chunk));
    ASSERT_OK(writer.Append(chunk));
  }

  EXPECT_EQ(ReadFile(folder_.File("b")), bytes);
}

TEST_F(ChunkTest, EmptyFile_IsCompleteAtOnce) {
  ASSERT_OK_AND_ASSIGN(const ChunkReader reader,
                       ChunkReader::Open(folder_.Write("a", "")));
  ASSERT_OK_AND_ASSIGN(const ChunkWriter writer,
                       ChunkWriter::Open(folder_.File("b"), 0));

  EXPECT_EQ(reader.size(), 0u);
  EXPECT_TRUE(writer.complete());
  EXPECT_TRUE(std::filesystem::exists(folder_.File("b")));
}

TEST_F(ChunkTest, Writer_GoesOnWhereAnEarlierOneEnded) {
  const std::string path = folder_.File("b");
  { ASSERT_OK(ChunkWriter::Open(path, 6)->Append(ChunkOf("abc"))); }

  ASSERT_OK_AND_ASSIGN(ChunkWriter writer, ChunkWriter::Open(path, 6));
  EXPECT_EQ(writer.received(), 3u);
  ASSERT_OK(writer.Append(ChunkOf("def")));

  EXPECT_EQ(ReadFile(path), "abcdef");
}

TEST_F(ChunkTest, WriterOfAFileTooLong_StartsFromNothing) {
  const std::string path = folder_.Write("b", "left over");

  ASSERT_OK_AND_ASSIGN(const ChunkWriter writer, ChunkWriter::Open(path, 3));

  EXPECT_EQ(writer.received(), 0u);
}

TEST_F(ChunkTest, WrongChecksum_IsDataLossAndKeepsTheFile) {
  ASSERT_OK_AND_ASSIGN(ChunkWriter writer,
                       ChunkWriter::Open(folder_.File("b"), 6));
  ASSERT_OK(writer.Append(ChunkOf("abc")));
  proto::BlobChunk chunk = ChunkOf("def");
  chunk.set_checksum(chunk.checksum() ^ 1);

  EXPECT_THAT(writer.Append(chunk),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("byte 3")));
  EXPECT_EQ(ReadFile(folder_.File("b")), "abc");
}

TEST_F(ChunkTest, MoreThanAnnounced_IsOutOfRange) {
  ASSERT_OK_AND_ASSIGN(ChunkWriter writer,
                       ChunkWriter::Open(folder_.File("b"), 5));
  ASSERT_OK(writer.Append(ChunkOf("abc")));

  EXPECT_THAT(writer.Append(ChunkOf("def")),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("5 bytes")));
}

TEST_F(ChunkTest, EmptyAndOversizeChunks_AreRefused) {
  ASSERT_OK_AND_ASSIGN(ChunkWriter writer,
                       ChunkWriter::Open(folder_.File("b"), 1 << 30));
  proto::BlobChunk large;
  large.set_data(std::string(kBlobChunkBytes + 1, 'x'));

  EXPECT_THAT(writer.Append({}),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
  EXPECT_THAT(writer.Append(large),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST_F(ChunkTest, Writer_FollowsNoLink) {
  const std::string target = folder_.Write("target", "precious");
  std::filesystem::create_symlink(target, folder_.File("link"));

  EXPECT_FALSE(ChunkWriter::Open(folder_.File("link"), 100).ok());
  EXPECT_EQ(ReadFile(target), "precious");
}

TEST_F(ChunkTest, Reader_RefusesWhatIsNoRegularFile) {
  EXPECT_FALSE(ChunkReader::Open(folder_.path()).ok());
  EXPECT_THAT(ChunkReader::Open("/dev/null"),
              StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST_F(ChunkTest, FileThatShrank_IsDataLoss) {
  const std::string path = folder_.Write("a", "abcdef");
  ASSERT_OK_AND_ASSIGN(const ChunkReader reader, ChunkReader::Open(path));
  std::filesystem::resize_file(path, 2);
  proto::BlobChunk chunk;

  EXPECT_THAT(reader.Read(0, chunk),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("byte 2 of 6")));
}

}  // namespace
}  // namespace meanfield::rpc
