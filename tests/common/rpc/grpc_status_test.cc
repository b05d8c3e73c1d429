#include "common/rpc/grpc_status.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace meanfield::rpc {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(GrpcStatus, EveryCodeSurvives) {
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), "why");

    EXPECT_EQ(FromGrpcStatus(ToGrpcStatus(status)), status);
  }
}

TEST(GrpcStatus, OkSurvives) {
  EXPECT_OK(FromGrpcStatus(ToGrpcStatus(absl::OkStatus())));
}

TEST(GrpcStatus, LongMessage_EndsEarlyAndSaysSo) {
  const std::string message(3 * kMaxStatusBytes, 'x');

  const grpc::Status status = ToGrpcStatus(absl::InternalError(message));

  EXPECT_THAT(status.error_message(), HasSubstr("more bytes)"));
  EXPECT_LT(status.error_message().size(), kMaxStatusBytes + 64);
}

TEST(GrpcStatus, LinesCountAsTheyAreEncoded) {
  // Each newline travels as %0A.
  const std::string message(kMaxStatusBytes / 2, '\n');

  const grpc::Status status = ToGrpcStatus(absl::InternalError(message));

  EXPECT_LT(status.error_message().size(), kMaxStatusBytes / 2);
}

TEST(Utf8Prefix, KeepsWellFormedText) {
  EXPECT_EQ(Utf8Prefix("größer → 𝄞", 100), "größer → 𝄞");
}

TEST(Utf8Prefix, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(Utf8Prefix("a\xff"
                       "b",
                       10),
            "a?b");
  EXPECT_EQ(Utf8Prefix("\xc3", 10), "?");                 // cut off
  EXPECT_EQ(Utf8Prefix("\xc0\x80", 10), "??");            // overlong
  EXPECT_EQ(Utf8Prefix("\xed\xa0\x80", 10), "???");       // surrogate
  EXPECT_EQ(Utf8Prefix("\xf4\x90\x80\x80", 10), "????");  // beyond Unicode
}

TEST(Utf8Prefix, NeverCutsACharacter) {
  EXPECT_EQ(Utf8Prefix("aöb", 2), "a");
  EXPECT_EQ(Utf8Prefix("aöb", 3), "aö");
}

}  // namespace
}  // namespace meanfield::rpc
