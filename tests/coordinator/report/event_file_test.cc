#include "coordinator/report/event_file.h"

#include <cstring>
#include <string>
#include <vector>

#include "coordinator/report/crc32c.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/tensorboard.pb.h"
#include "tests/coordinator/report/sample_run.h"

namespace meanfield::report {
namespace {

using ::testing::ElementsAre;

// The standard check values of CRC-32C (RFC 3720, B.4).
TEST(Crc32c, KnownValues) {
  EXPECT_EQ(Crc32c(""), 0);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aa);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43);
}

TEST(TfRecord, Framing_IsLengthChecksumDataChecksum) {
  const std::string record = TfRecord("abc");
  ASSERT_EQ(record.size(), 8 + 4 + 3 + 4);
  EXPECT_EQ(record.substr(0, 8), std::string("\3\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(record.substr(12, 3), "abc");
  uint32_t stored = 0;
  std::memcpy(&stored, record.data() + 15, 4);
  const uint32_t rotated = stored - 0xa282ead8u;
  EXPECT_EQ((rotated >> 17) | (rotated << 15), Crc32c("abc"));
}

std::vector<proto::TensorBoardEvent> Read(std::string_view file) {
  std::vector<proto::TensorBoardEvent> events;
  while (!file.empty()) {
    uint64_t length = 0;
    std::memcpy(&length, file.data(), 8);
    EXPECT_TRUE(events.emplace_back().ParseFromString(
        std::string(file.substr(12, length))));
    file.remove_prefix(16 + length);
  }
  return events;
}

TEST(EventFile, Rounds_AreScalarsByStep) {
  const auto events = Read(EventFile(testing::SampleRun()));

  ASSERT_EQ(events.size(), 4);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  EXPECT_EQ(events[2].step(), 2);
  EXPECT_DOUBLE_EQ(events[2].wall_time() - events[1].wall_time(), 2.5);
  std::vector<std::string> tags;
  for (const auto& value : events[2].summary().value()) {
    tags.push_back(value.tag());
  }
  EXPECT_THAT(tags, ElementsAre("train/loss", "learning_rate", "dev/loss",
                                "dev/accuracy", "dev/macro_f1"));
  EXPECT_EQ(events[2].summary().value(3).simple_value(), 0.75f);
}

TEST(EventFile, Name_IsThatOfTheStartAndTheHost) {
  EXPECT_EQ(EventFileName(testing::SampleRun(), "box"),
            "events.out.tfevents.1796049371.box");
}

}  // namespace
}  // namespace meanfield::report
