#include "common/base/status.h"

#include <cerrno>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace meanfield {
namespace {

using ::meanfield::testing::IsOk;
using ::meanfield::testing::StatusIs;
using ::testing::HasSubstr;

TEST(Status, Annotate_KeepsCodeAndPayload) {
  absl::Status status = absl::DataLossError("bad byte");
  status.SetPayload("position", absl::Cord("7"));

  const absl::Status annotated = Annotate(status, "shard 2");

  EXPECT_EQ(annotated.message(), "shard 2: bad byte");
  EXPECT_EQ(annotated.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(annotated.GetPayload("position"), absl::Cord("7"));
}

TEST(Status, Annotate_OkStaysOk) {
  EXPECT_OK(Annotate(absl::OkStatus(), "shard 2"));
}

TEST(Status, ErrnoStatus_SaysWhatWasTriedOnWhichPathAndWhatWasSeen) {
  EXPECT_EQ(ErrnoStatus(ENOENT, "open", "/a/b").message(),
            "cannot open /a/b: No such file or directory");
}

TEST(Status, ErrnoStatus_CodeFollowsWhatTheCallerCanDo) {
  const auto code = [](int error) {
    return ErrnoStatus(error, "open", "/a").code();
  };

  EXPECT_EQ(code(ENOSPC), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code(EDQUOT), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code(EFBIG), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(code(ENOENT), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(EACCES), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(code(EPERM), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(code(EROFS), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(code(EIO), absl::StatusCode::kInternal);
}

absl::StatusOr<int> Half(int number) {
  if (number % 2 != 0) return absl::InvalidArgumentError("odd");
  return number / 2;
}

absl::StatusOr<int> Quarter(int number) {
  MEANFIELD_ASSIGN_OR_RETURN(const int half, Half(number));
  MEANFIELD_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

absl::Status IsQuarterable(int number) {
  MEANFIELD_RETURN_IF_ERROR(Quarter(number).status());
  return absl::OkStatus();
}

TEST(Status, Macros_PassValuesOnAndReturnTheFirstError) {
  EXPECT_EQ(Quarter(8).value(), 2);
  EXPECT_THAT(Quarter(6),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("odd")));
  EXPECT_THAT(IsQuarterable(8), IsOk());
  EXPECT_THAT(IsQuarterable(7),
              StatusIs(absl::StatusCode::kInvalidArgument, "odd"));
}

}  // namespace
}  // namespace meanfield
