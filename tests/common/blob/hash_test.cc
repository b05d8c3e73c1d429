#include "common/blob/hash.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield {
namespace {

using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::HasSubstr;

std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(BlobId, OfKnownBytes_IsPublishedXxh3) {
  EXPECT_EQ(BlobIdOf({}), "xxh3-99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(BlobIdOf(Bytes("a")), "xxh3-a96faf705af16834e6c632b61e964e1f");
}

TEST(BlobId, IsBlobId_AcceptsOnlyTheCanonicalForm) {
  const std::string id = BlobIdOf({});

  EXPECT_TRUE(IsBlobId(id));
  EXPECT_FALSE(IsBlobId(""));
  EXPECT_FALSE(IsBlobId(id + "0"));
  EXPECT_FALSE(IsBlobId(id.substr(0, id.size() - 1)));
  EXPECT_FALSE(IsBlobId("xxh3-99AA06d3014798d86001c324468d497f"));
  EXPECT_FALSE(IsBlobId("xxh3-../../../../../../../../etc/passwd"));
  EXPECT_FALSE(IsBlobId("sha2-99aa06d3014798d86001c324468d497f"));
}

TEST(BlobHasher, Pieces_GiveTheHashOfTheWhole) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i);

  for (const size_t piece : {1, 7, 256, 1000, 100000}) {
    BlobHasher hasher;
    for (size_t at = 0; at < text.size(); at += piece) {
      hasher.Update(Bytes(std::string_view(text).substr(at, piece)));
    }
    EXPECT_EQ(hasher.Finish(), BlobIdOf(Bytes(text))) << piece;
  }
}

TEST(BlobHasher, Finish_MayBeAskedOnTheWay) {
  BlobHasher hasher;

  EXPECT_EQ(hasher.Finish(), BlobIdOf({}));
  hasher.Update(Bytes("ab"));
  EXPECT_EQ(hasher.Finish(), BlobIdOf(Bytes("ab")));
  hasher.Update(Bytes("c"));
  EXPECT_EQ(hasher.Finish(), BlobIdOf(Bytes("abc")));
}

TEST(BlobIdOfFile, File_HashesAsItsBytes) {
  const TemporaryFolder folder;
  const std::string text(3'000'000, 'x');

  ASSERT_OK_AND_ASSIGN(const std::string id,
                       BlobIdOfFile(folder.Write("f", text)));

  EXPECT_EQ(id, BlobIdOf(Bytes(text)));
}

TEST(BlobIdOfFile, MissingFileOrFolder_IsNamed) {
  const TemporaryFolder folder;

  EXPECT_THAT(
      BlobIdOfFile(folder.File("no")),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr(folder.File("no"))));
  EXPECT_THAT(BlobIdOfFile(folder.path()),
              StatusIs(absl::StatusCode::kInternal, HasSubstr(folder.path())));
}

TEST(ChunkChecksum, OneBit_ChangesIt) {
  EXPECT_NE(ChunkChecksum(Bytes("a")), ChunkChecksum(Bytes("c")));
  EXPECT_EQ(ChunkChecksum({}), 0x2d06800538d394c2u);
}

}  // namespace
}  // namespace meanfield
