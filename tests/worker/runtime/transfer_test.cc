#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/blob/blob_store.h"
#include "common/blob/hash.h"
#include "common/rpc/channel.h"
#include "common/time/real_clock.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "gtest/gtest.h"
#include "proto/coordinator.grpc.pb.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"
#include "worker/runtime/blob_cache.h"
#include "worker/runtime/connection.h"
#include "worker/runtime/lease_desk.h"
#include "worker/runtime/upload.h"

namespace meanfield {
namespace {

using ::meanfield::testing::ReadFile;
using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::_;
using ::testing::ElementsAre;

constexpr size_t kChunk = kBlobChunkBytes;

// Breaks the first transfer after one chunk, in the way the test asks for.
class FaultyService : public proto::Coordinator::Service {
 public:
  enum class Fault { kBreak, kWrongChecksum, kEndEarly };
  Fault fault = Fault::kBreak;
  std::string bytes;              // of the only blob
  std::string held;               // of the upload
  std::vector<uint64_t> offsets;  // of ReadBlob and Start
  int faults_left = 1;

  grpc::Status Work(
      grpc::ServerContext* /*context*/,
      grpc::ServerReaderWriter<proto::CoordinatorMessage, proto::WorkerMessage>*
          stream) override {
    proto::CoordinatorMessage message;
    message.mutable_welcome()->set_session_token("token");
    stream->Write(message);
    proto::WorkerMessage heard;
    while (stream->Read(&heard)) {
    }
    return grpc::Status::OK;
  }

  grpc::Status ReadBlob(grpc::ServerContext* /*context*/,
                        const proto::ReadBlobRequest* request,
                        grpc::ServerWriter<proto::BlobChunk>* stream) override {
    offsets.push_back(request->offset());
    for (size_t at = request->offset(); at < bytes.size(); at += kChunk) {
      proto::BlobChunk chunk;
      chunk.set_data(bytes.substr(at, kChunk));
      chunk.set_checksum(ChunkChecksum(std::as_bytes(std::span(chunk.data()))));
      const bool faulty = at > 0 && faults_left > 0;
      if (faulty) --faults_left;
      if (faulty && fault == Fault::kBreak) {
        return {grpc::StatusCode::UNAVAILABLE, "broken"};
      }
      if (faulty && fault == Fault::kEndEarly) return grpc::Status::OK;
      if (faulty) chunk.set_checksum(0);
      stream->Write(chunk);
    }
    return grpc::Status::OK;
  }

  grpc::Status QueryUpload(grpc::ServerContext* /*context*/,
                           const proto::QueryUploadRequest* /*request*/,
                           proto::QueryUploadResponse* response) override {
    response->set_offset(held.size());
    return grpc::Status::OK;
  }

  grpc::Status WriteOutput(
      grpc::ServerContext* /*context*/,
      grpc::ServerReader<proto::WriteOutputRequest>* stream,
      proto::WriteOutputResponse* response) override {
    proto::WriteOutputRequest request;
    stream->Read(&request);
    offsets.push_back(request.start().offset());
    while (stream->Read(&request)) {
      if (!held.empty() && faults_left > 0) {
        --faults_left;
        return {grpc::StatusCode::UNAVAILABLE, "broken"};
      }
      held += request.chunk().data();
    }
    response->set_received(held.size());
    return grpc::Status::OK;
  }
};

class TransferTest : public ::testing::Test {
 protected:
  TransferTest() {
    grpc::ServerBuilder builder;
    rpc::ConfigureServer(builder);
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    connection_ = std::make_unique<Connection>(
        Connection::Options{.address = "127.0.0.1:" + std::to_string(port),
                            .give_up_after = absl::Minutes(1)},
        *clock_, desk_);
    service_.bytes.resize(3 * kChunk + 5);
    for (size_t i = 0; i < service_.bytes.size(); ++i) {
      service_.bytes[i] = static_cast<char>(i * 31 >> 4);
    }
    blob_.set_id(BlobIdOf(std::as_bytes(std::span(service_.bytes))));
    blob_.set_size(service_.bytes.size());
  }
  ~TransferTest() override {
    connection_.reset();
    server_->Shutdown();
  }

  absl::StatusOr<std::string> Fetch() {
    MEANFIELD_ASSIGN_OR_RETURN(
        BlobCache cache,
        BlobCache::Open(folder_.File("cache"), 1 << 30, *connection_));
    return cache.Fetch(blob_, {});
  }

  const TemporaryFolder folder_;
  const std::unique_ptr<Clock> clock_ = MakeRealClock();
  LeaseDesk desk_;
  FaultyService service_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Connection> connection_;
  proto::BlobRef blob_;
};

class FaultyDownload
    : public TransferTest,
      public ::testing::WithParamInterface<FaultyService::Fault> {};

TEST_P(FaultyDownload, GoesOnAfterTheLastGoodChunk) {
  service_.fault = GetParam();

  ASSERT_OK_AND_ASSIGN(const std::string path, Fetch());

  EXPECT_TRUE(ReadFile(path) == service_.bytes);
  EXPECT_THAT(service_.offsets, ElementsAre(0, kChunk));
}

INSTANTIATE_TEST_SUITE_P(All, FaultyDownload,
                         ::testing::Values(FaultyService::Fault::kBreak,
                                           FaultyService::Fault::kWrongChecksum,
                                           FaultyService::Fault::kEndEarly));

TEST_F(TransferTest, ChunksThatStayDamaged_AreGivenUp) {
  service_.fault = FaultyService::Fault::kWrongChecksum;
  service_.faults_left = 100;

  EXPECT_THAT(Fetch(), StatusIs(absl::StatusCode::kDataLoss, _));
  EXPECT_EQ(service_.offsets.size(), 3u);
}

TEST_F(TransferTest, BrokenUpload_GoesOnAtTheOffsetThatIsHeld) {
  const std::string path = folder_.Write("output", service_.bytes);

  ASSERT_OK(Upload(*connection_, 1, blob_, path, {}));

  EXPECT_TRUE(service_.held == service_.bytes);
  EXPECT_THAT(service_.offsets, ElementsAre(0, kChunk));
}

}  // namespace
}  // namespace meanfield
