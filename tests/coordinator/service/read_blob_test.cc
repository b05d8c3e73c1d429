#include "coordinator/service/read_blob.h"

#include <filesystem>
#include <string>

#include "common/blob/blob_store.h"
#include "common/blob/hash.h"
#include "gtest/gtest.h"
#include "tests/coordinator/service/service_fixture.h"

namespace meanfield {
namespace {

using ::meanfield::testing::RawWorker;
using ::meanfield::testing::StatusIs;
using ::testing::_;
using ::testing::HasSubstr;

class ReadBlobTest : public testing::ServiceFixture {
 protected:
  void SetUp() override {
    ServiceFixture::SetUp();
    worker_ = std::make_unique<RawWorker>(*stub_);
    token_ = worker_->Join();
  }
  void TearDown() override { worker_.reset(); }

  // The bytes from the offset on, each chunk checked.
  absl::StatusOr<std::string> Read(const std::string& token,
                                   const std::string& id, uint64_t offset) {
    grpc::ClientContext context;
    proto::ReadBlobRequest request;
    request.set_session_token(token);
    request.set_id(id);
    request.set_offset(offset);
    const auto stream = stub_->ReadBlob(&context, request);
    std::string bytes;
    proto::BlobChunk chunk;
    while (stream->Read(&chunk)) {
      EXPECT_LE(chunk.data().size(), kBlobChunkBytes);
      EXPECT_EQ(chunk.checksum(),
                ChunkChecksum(std::as_bytes(std::span(chunk.data()))));
      bytes += chunk.data();
    }
    const absl::Status ended = rpc::FromGrpcStatus(stream->Finish());
    if (!ended.ok()) return ended;
    return bytes;
  }

  std::unique_ptr<RawWorker> worker_;
  std::string token_;
};

TEST_F(ReadBlobTest, BlobLargerThanAMessage_ArrivesInChunks) {
  std::string bytes(70 << 20, '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = char(i * 2654435761 >> 9);
  const proto::BlobRef blob = sessions_.AddBlob(bytes);

  ASSERT_OK_AND_ASSIGN(const std::string read, Read(token_, blob.id(), 0));

  EXPECT_TRUE(read == bytes);
}

TEST_F(ReadBlobTest, Offset_GoesOnThere) {
  const proto::BlobRef blob = sessions_.AddBlob("0123456789");

  EXPECT_EQ(*Read(token_, blob.id(), 7), "789");
  EXPECT_EQ(*Read(token_, blob.id(), 10), "");
}

TEST_F(ReadBlobTest, EmptyBlob_IsNothing) {
  EXPECT_EQ(*Read(token_, sessions_.AddBlob("").id(), 0), "");
}

TEST_F(ReadBlobTest, OffsetBeyondTheEnd_IsOutOfRange) {
  const proto::BlobRef blob = sessions_.AddBlob("0123456789");

  EXPECT_THAT(Read(token_, blob.id(), 11),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("has 10")));
}

TEST_F(ReadBlobTest, WrongToken_IsUnauthenticated) {
  const proto::BlobRef blob = sessions_.AddBlob("secret");

  EXPECT_THAT(Read("guess", blob.id(), 0),
              StatusIs(absl::StatusCode::kUnauthenticated, _));
  EXPECT_THAT(Read("", blob.id(), 0),
              StatusIs(absl::StatusCode::kUnauthenticated, _));
}

TEST_F(ReadBlobTest, TokenOfAClosedStream_IsUnauthenticated) {
  const proto::BlobRef blob = sessions_.AddBlob("secret");
  worker_->Leave();
  EXPECT_OK(worker_->End());
  sessions_.Wait([](const auto& record) { return record.left.size() == 1; });

  EXPECT_THAT(Read(token_, blob.id(), 0),
              StatusIs(absl::StatusCode::kUnauthenticated, _));
}

TEST_F(ReadBlobTest, BlobOfNoLease_IsDenied) {
  EXPECT_THAT(Read(token_, "../../etc/passwd", 0),
              StatusIs(absl::StatusCode::kPermissionDenied, _));
}

TEST_F(ReadBlobTest, MissingFile_IsNotFound) {
  const proto::BlobRef blob = sessions_.AddBlob("gone");
  std::filesystem::remove(sessions_.BlobPath(blob.id()));

  EXPECT_THAT(Read(token_, blob.id(), 0),
              StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(ReadBlobTest, ReaderThatStandsStill_IsCutOff) {
  worker_.reset();
  Start({.clock = &clock_});
  RawWorker worker(*stub_);
  const std::string token = worker.Join("v");
  const proto::BlobRef blob = sessions_.AddBlob(std::string(64 << 20, 'x'));
  grpc::ClientContext context;
  proto::ReadBlobRequest request;
  request.set_session_token(token);
  request.set_id(blob.id());
  const auto stream = stub_->ReadBlob(&context, request);
  proto::BlobChunk chunk;

  while (stream->Read(&chunk)) clock_.Advance(absl::Seconds(20));

  EXPECT_EQ(stream->Finish().error_code(), grpc::CANCELLED);
}

}  // namespace
}  // namespace meanfield
