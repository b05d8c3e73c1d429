#include "coordinator/service/watch_stream.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/coordinator/service/service_fixture.h"

namespace meanfield {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Watcher {
 public:
  Watcher(proto::Coordinator::Stub& stub, const std::string& run,
          uint64_t after = 0) {
    proto::WatchRequest request;
    request.set_run(run);
    request.set_after_sequence(after);
    stream_ = stub.Watch(&context_, request);
  }
  ~Watcher() {
    context_.TryCancel();
    if (stream_ != nullptr) stream_->Finish().ok();
  }
  bool Read(proto::RunEvent& event) { return stream_->Read(&event); }
  absl::Status End() {
    return rpc::FromGrpcStatus(std::exchange(stream_, nullptr)->Finish());
  }
  // The texts of all notes up to the end.
  std::vector<std::string> ReadNotes() {
    std::vector<std::string> notes;
    proto::RunEvent event;
    while (Read(event)) {
      if (event.has_note()) notes.push_back(event.note().text());
    }
    return notes;
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<proto::RunEvent>> stream_;
};

class WatchStreamTest : public testing::ServiceFixture {};

TEST_F(WatchStreamTest, PastAndLiveEvents_ComeInOrderToTheEnd) {
  runs_.PublishNote("past");
  Watcher watcher(*stub_, "run-1");
  proto::RunEvent event;
  ASSERT_TRUE(watcher.Read(event));
  EXPECT_EQ(event.note().text(), "past");

  runs_.PublishNote("live");
  runs_.PublishEnd();

  EXPECT_THAT(watcher.ReadNotes(), ElementsAre("live"));
  EXPECT_OK(watcher.End());
}

TEST_F(WatchStreamTest, AfterSequence_SkipsWhatWasSeen) {
  runs_.PublishNote("1");
  runs_.PublishNote("2");
  runs_.PublishEnd();
  Watcher watcher(*stub_, "run-1", /*after=*/1);

  EXPECT_THAT(watcher.ReadNotes(), ElementsAre("2"));
}

TEST_F(WatchStreamTest, UnknownRun_IsNotFound) {
  Watcher watcher(*stub_, "run-7");
  proto::RunEvent event;

  EXPECT_FALSE(watcher.Read(event));
  EXPECT_THAT(watcher.End(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("run-7")));
}

TEST_F(WatchStreamTest, SlowReader_MissesNoNote) {
  Watcher watcher(*stub_, "run-1");
  runs_.PublishNote("0");
  proto::RunEvent event;
  ASSERT_TRUE(watcher.Read(event));  // it has subscribed

  const std::string padding(64 << 10, 'x');  // 32 MiB in all
  for (int i = 1; i < 500; ++i) {
    runs_.PublishNote(std::to_string(i) + padding);
  }
  runs_.PublishEnd();

  const std::vector<std::string> notes = watcher.ReadNotes();
  ASSERT_EQ(notes.size(), 499u);
  for (int i = 1; i < 500; ++i) {
    EXPECT_EQ(notes[i - 1], std::to_string(i) + padding);
  }
  EXPECT_GT(runs_.subscriptions(), 1);  // the rest was asked for again
}

TEST_F(WatchStreamTest, SlowReader_GetsTheNewestProgress) {
  Watcher watcher(*stub_, "run-1");
  runs_.PublishNote("0");
  proto::RunEvent event;
  ASSERT_TRUE(watcher.Read(event));

  for (int i = 1; i <= 2000; ++i) runs_.PublishProgress(i, 64 << 10);
  runs_.PublishEnd();

  int seen = 0;
  uint64_t last = 0;
  while (watcher.Read(event)) {
    if (!event.has_progress()) continue;
    EXPECT_GT(event.progress().steps_done(), last);
    last = event.progress().steps_done();
    ++seen;
  }
  EXPECT_EQ(last, 2000u);
  EXPECT_LT(seen, 2000);
}

TEST_F(WatchStreamTest, ReaderThatGoes_IsForgotten) {
  auto watcher = std::make_unique<Watcher>(*stub_, "run-1");
  runs_.PublishNote("0");
  proto::RunEvent event;
  ASSERT_TRUE(watcher->Read(event));

  watcher.reset();
  server_.reset();

  EXPECT_EQ(runs_.live_sinks(), 0u);
}

TEST_F(WatchStreamTest, ServerThatGoesDown_EndsTheStream) {
  Watcher watcher(*stub_, "run-1");
  runs_.PublishNote("0");
  proto::RunEvent event;
  ASSERT_TRUE(watcher.Read(event));

  server_.reset();

  EXPECT_FALSE(watcher.Read(event));
  EXPECT_THAT(watcher.End(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("goes down")));
}

}  // namespace
}  // namespace meanfield
