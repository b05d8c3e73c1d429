#include "coordinator/service/write_output.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "common/blob/blob_store.h"
#include "common/blob/hash.h"
#include "gtest/gtest.h"
#include "tests/coordinator/service/service_fixture.h"

namespace meanfield {
namespace {

using ::meanfield::testing::RawWorker;
using ::meanfield::testing::ReadFile;
using ::meanfield::testing::StatusIs;
using ::testing::_;
using ::testing::HasSubstr;

constexpr uint64_t kLease = 9;

proto::BlobRef RefOf(const std::string& bytes) {
  proto::BlobRef blob;
  blob.set_id(BlobIdOf(std::as_bytes(std::span(bytes))));
  blob.set_size(bytes.size());
  return blob;
}

proto::WriteOutputRequest Chunk(const std::string& data) {
  proto::WriteOutputRequest request;
  request.mutable_chunk()->set_data(data);
  request.mutable_chunk()->set_checksum(
      ChunkChecksum(std::as_bytes(std::span(data))));
  return request;
}

// One WriteOutput stream, message by message.
class RawUpload {
 public:
  explicit RawUpload(proto::Coordinator::Stub& stub)
      : stream_(stub.WriteOutput(&context_, &response_)) {}
  ~RawUpload() {
    if (stream_ != nullptr) Break();
  }
  RawUpload& Start(const std::string& token, const proto::BlobRef& output,
                   uint64_t offset = 0, uint64_t lease = kLease) {
    proto::WriteOutputRequest request;
    request.mutable_start()->set_session_token(token);
    request.mutable_start()->set_lease(lease);
    *request.mutable_start()->mutable_output() = output;
    request.mutable_start()->set_offset(offset);
    return Send(request);
  }
  // A refusal shows at the end.
  RawUpload& Send(const proto::WriteOutputRequest& request) {
    stream_->Write(request);
    return *this;
  }
  // Bytes that the server holds.
  absl::StatusOr<uint64_t> End() {
    stream_->WritesDone();
    const absl::Status ended =
        rpc::FromGrpcStatus(std::exchange(stream_, nullptr)->Finish());
    if (!ended.ok()) return ended;
    return response_.received();
  }
  void Break() {
    context_.TryCancel();
    std::exchange(stream_, nullptr)->Finish().ok();
  }

 private:
  grpc::ClientContext context_;
  proto::WriteOutputResponse response_;
  std::unique_ptr<grpc::ClientWriter<proto::WriteOutputRequest>> stream_;
};

class WriteOutputTest : public testing::ServiceFixture {
 protected:
  void SetUp() override {
    ServiceFixture::SetUp();
    worker_ = std::make_unique<RawWorker>(*stub_);
    token_ = worker_->Join();
    sessions_.AddLease(kLease);
  }
  void TearDown() override { worker_.reset(); }

  absl::StatusOr<uint64_t> Query(const proto::BlobRef& output,
                                 const std::string& token) {
    grpc::ClientContext context;
    proto::QueryUploadRequest request;
    request.set_session_token(token);
    request.set_lease(kLease);
    *request.mutable_output() = output;
    proto::QueryUploadResponse response;
    const absl::Status status =
        rpc::FromGrpcStatus(stub_->QueryUpload(&context, request, &response));
    if (!status.ok()) return status;
    return response.offset();
  }

  std::unique_ptr<RawWorker> worker_;
  std::string token_;
};

TEST_F(WriteOutputTest, WholeOutput_IsSealed) {
  const proto::BlobRef output = RefOf("abcdef");
  RawUpload upload(*stub_);

  upload.Start(token_, output).Send(Chunk("abc")).Send(Chunk("def"));

  EXPECT_EQ(*upload.End(), 6u);
  EXPECT_EQ(ReadFile(sessions_.SealedPath(output)), "abcdef");
}

TEST_F(WriteOutputTest, LargeOutput_IsSealed) {
  const std::string bytes(70 << 20, 'y');
  const proto::BlobRef output = RefOf(bytes);
  RawUpload upload(*stub_);

  upload.Start(token_, output);
  for (size_t at = 0; at < bytes.size(); at += kBlobChunkBytes) {
    upload.Send(Chunk(bytes.substr(at, kBlobChunkBytes)));
  }

  EXPECT_EQ(*upload.End(), bytes.size());
  EXPECT_EQ(std::filesystem::file_size(sessions_.SealedPath(output)),
            bytes.size());
}

TEST_F(WriteOutputTest, BrokenStream_GoesOnAtTheOffset) {
  const proto::BlobRef output = RefOf("abcdef");
  RawUpload first(*stub_);
  first.Start(token_, output).Send(Chunk("abc"));
  while (*Query(output, token_) < 3) {
  }
  first.Break();

  absl::StatusOr<uint64_t> received;
  do {  // until the server has noticed the break
    RawUpload second(*stub_);
    second.Start(token_, output, *Query(output, token_)).Send(Chunk("def"));
    received = second.End();
  } while (absl::IsAborted(received.status()));

  EXPECT_EQ(*received, 6u);
  EXPECT_EQ(ReadFile(sessions_.SealedPath(output)), "abcdef");
}

TEST_F(WriteOutputTest, EarlyEnd_KeepsWhatCame) {
  const proto::BlobRef output = RefOf("abcdef");
  RawUpload upload(*stub_);
  upload.Start(token_, output).Send(Chunk("abc"));

  EXPECT_EQ(*upload.End(), 3u);

  EXPECT_EQ(*Query(output, token_), 3u);
  EXPECT_EQ(sessions_.record().seals, 0);
}

TEST_F(WriteOutputTest, SecondStreamOfAnOpenOutput_TakesOver) {
  const proto::BlobRef output = RefOf("abcdef");
  RawUpload stale(*stub_);
  stale.Start(token_, output).Send(Chunk("abc"));
  while (*Query(output, token_) < 3) {
  }

  absl::StatusOr<uint64_t> received;
  do {
    RawUpload fresh(*stub_);
    fresh.Start(token_, output, 3).Send(Chunk("def"));
    received = fresh.End();
  } while (absl::IsAborted(received.status()));

  EXPECT_EQ(*received, 6u);
  EXPECT_THAT(stale.End(), StatusIs(absl::StatusCode::kCancelled, _));
}

TEST_F(WriteOutputTest, WrongOffset_IsAborted) {
  RawUpload upload(*stub_);
  upload.Start(token_, RefOf("abcdef"), 2);

  EXPECT_THAT(upload.End(), StatusIs(absl::StatusCode::kAborted,
                                     HasSubstr("0 bytes are held")));
}

TEST_F(WriteOutputTest, DamagedChunk_IsDataLoss) {
  proto::WriteOutputRequest chunk = Chunk("abcdef");
  (*chunk.mutable_chunk()->mutable_data())[3] ^= 4;
  RawUpload upload(*stub_);
  upload.Start(token_, RefOf("abcdef")).Send(chunk);

  EXPECT_THAT(upload.End(), StatusIs(absl::StatusCode::kDataLoss,
                                     HasSubstr("chunk at byte 0")));
}

TEST_F(WriteOutputTest, OtherBytesThanAnnounced_AreDataLoss) {
  const proto::BlobRef output = RefOf("abcdef");
  RawUpload upload(*stub_);
  upload.Start(token_, output).Send(Chunk("fedcba"));

  EXPECT_THAT(upload.End(), StatusIs(absl::StatusCode::kDataLoss, _));
  EXPECT_EQ(*Query(output, token_), 0u);
}

TEST_F(WriteOutputTest, MoreThanAnnounced_IsOutOfRange) {
  RawUpload upload(*stub_);
  upload.Start(token_, RefOf("abc")).Send(Chunk("abc")).Send(Chunk("d"));

  EXPECT_THAT(upload.End(), StatusIs(absl::StatusCode::kOutOfRange, _));
}

TEST_F(WriteOutputTest, WrongToken_IsUnauthenticated) {
  RawUpload upload(*stub_);
  upload.Start("guess", RefOf("abc")).Send(Chunk("abc"));

  EXPECT_THAT(upload.End(), StatusIs(absl::StatusCode::kUnauthenticated, _));
  EXPECT_THAT(Query(RefOf("abc"), "guess"),
              StatusIs(absl::StatusCode::kUnauthenticated, _));
}

TEST_F(WriteOutputTest, UnknownLease_IsNotFound) {
  RawUpload upload(*stub_);
  upload.Start(token_, RefOf("abc"), 0, /*lease=*/kLease + 1);

  EXPECT_THAT(upload.End(), StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(WriteOutputTest, NameThatIsNoHash_IsInvalid) {
  proto::BlobRef output = RefOf("abc");
  output.set_id("../../evil");
  RawUpload upload(*stub_);
  upload.Start(token_, output).Send(Chunk("abc"));

  EXPECT_THAT(upload.End(), StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST_F(WriteOutputTest, MessagesOutOfOrder_AreInvalid) {
  RawUpload chunk_first(*stub_);
  chunk_first.Send(Chunk("abc"));
  RawUpload two_starts(*stub_);
  two_starts.Start(token_, RefOf("abc")).Start(token_, RefOf("abc"));
  RawUpload nothing(*stub_);

  for (RawUpload* upload : {&chunk_first, &two_starts, &nothing}) {
    EXPECT_THAT(upload->End(), StatusIs(absl::StatusCode::kInvalidArgument, _));
  }
}

TEST_F(WriteOutputTest, SealedOutput_IsTakenAgainWithoutData) {
  const proto::BlobRef output = RefOf("abc");
  RawUpload first(*stub_);
  first.Start(token_, output).Send(Chunk("abc"));
  ASSERT_EQ(*first.End(), 3u);

  RawUpload again(*stub_);
  again.Start(token_, output, *Query(output, token_));

  EXPECT_EQ(*again.End(), 3u);
  EXPECT_EQ(sessions_.record().seals, 2);
}

TEST_F(WriteOutputTest, DataForASealedOutput_IsOutOfRange) {
  const proto::BlobRef output = RefOf("abc");
  RawUpload first(*stub_);
  first.Start(token_, output).Send(Chunk("abc"));
  ASSERT_EQ(*first.End(), 3u);

  RawUpload again(*stub_);
  again.Start(token_, output, 3).Send(Chunk("x"));

  EXPECT_THAT(again.End(), StatusIs(absl::StatusCode::kOutOfRange, _));
  EXPECT_EQ(ReadFile(sessions_.SealedPath(output)), "abc");
}

}  // namespace
}  // namespace meanfield
