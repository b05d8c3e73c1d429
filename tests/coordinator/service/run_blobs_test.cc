#include <string>

#include "common/blob/blob_store.h"
#include "gtest/gtest.h"
#include "tests/coordinator/service/service_fixture.h"

namespace meanfield {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::HasSubstr;

class RunBlobsTest : public testing::ServiceFixture {
 protected:
  // A blob in the store that the run's record names, or not.
  proto::BlobRef AddBlob(const std::string& bytes, bool named) {
    const auto blob = runs_.store().blobs().Put(bytes, Durability::kCached);
    EXPECT_OK(blob);
    proto::RunRecord run;
    run.set_id("run-1");
    proto::BlobRef ref;
    ref.set_id(blob->id);
    ref.set_size(blob->size);
    if (named) *run.mutable_best_model() = ref;
    EXPECT_OK(runs_.store().PutRun(run));
    return ref;
  }
  absl::StatusOr<std::string> Read(const std::string& run,
                                   const std::string& id, uint64_t offset = 0) {
    grpc::ClientContext context;
    proto::ReadRunBlobRequest request;
    request.set_run(run);
    request.set_id(id);
    request.set_offset(offset);
    const auto stream = stub_->ReadRunBlob(&context, request);
    std::string bytes;
    proto::BlobChunk chunk;
    while (stream->Read(&chunk)) bytes += chunk.data();
    const absl::Status ended = rpc::FromGrpcStatus(stream->Finish());
    if (!ended.ok()) return ended;
    return bytes;
  }
};

TEST_F(RunBlobsTest, BlobOfTheRecords_IsSentFromTheOffset) {
  const proto::BlobRef blob = AddBlob("0123456789", /*named=*/true);

  EXPECT_EQ(*Read("run-1", blob.id()), "0123456789");
  EXPECT_EQ(*Read("run-1", blob.id(), 7), "789");
}

TEST_F(RunBlobsTest, BlobThatNoRecordNames_IsNotFound) {
  const proto::BlobRef blob = AddBlob("of another run", /*named=*/false);

  EXPECT_THAT(Read("run-1", blob.id()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(blob.id())));
}

TEST_F(RunBlobsTest, UnknownRun_IsNotFound) {
  EXPECT_THAT(Read("run-2", "x"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("run-2")));
}

}  // namespace
}  // namespace meanfield
