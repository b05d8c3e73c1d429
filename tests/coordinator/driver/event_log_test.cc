#include "coordinator/driver/event_log.h"

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield::driver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

proto::RunEvent Note() {
  proto::RunEvent event;
  event.mutable_note()->set_text("note");
  return event;
}
proto::RunEvent Progress() {
  proto::RunEvent event;
  event.mutable_progress()->set_round(1);
  return event;
}

class EventLogTest : public ::testing::Test {
 protected:
  void Append(proto::RunEvent event) {
    log_.Append(std::move(event), absl::UnixEpoch());
  }
  std::shared_ptr<EventSink> Subscribe(uint64_t after) {
    auto sink =
        std::make_shared<EventSink>([this](const proto::RunEvent& event) {
          seen_.push_back(event.sequence());
        });
    log_.Subscribe(after, sink);
    return sink;
  }

  EventLog log_;
  std::vector<uint64_t> seen_;
};

TEST_F(EventLogTest, Subscriber_HearsThePastThenThePresent) {
  Append(Note());
  Append(Note());
  const auto sink = Subscribe(1);
  Append(Note());
  EXPECT_THAT(seen_, ElementsAre(2, 3));
}

TEST_F(EventLogTest, Progress_IsKeptUntilSomethingNewerOnly) {
  Append(Progress());
  Append(Progress());
  Append(Note());
  Append(Progress());
  Subscribe(0);
  EXPECT_THAT(seen_, ElementsAre(3, 4));
}

TEST_F(EventLogTest, ClosedSink_HearsNothingMore) {
  const auto sink = Subscribe(0);
  sink->Close();
  Append(Note());
  EXPECT_THAT(seen_, IsEmpty());
}

TEST_F(EventLogTest, SinkThatClosesItself_DoesNotDeadlock) {
  std::shared_ptr<EventSink> sink;
  sink = std::make_shared<EventSink>([&](const proto::RunEvent& event) {
    seen_.push_back(event.sequence());
    sink->Close();
  });
  log_.Subscribe(0, sink);
  Append(Note());
  Append(Note());
  EXPECT_THAT(seen_, ElementsAre(1));
}

TEST_F(EventLogTest, ManyEvents_OldestAreForgotten) {
  for (int i = 0; i < 10'005; ++i) Append(Note());
  Subscribe(0);
  ASSERT_EQ(seen_.size(), 10'000);
  EXPECT_EQ(seen_.front(), 6);
}

}  // namespace
}  // namespace meanfield::driver
