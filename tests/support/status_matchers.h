#ifndef MEANFIELD_TESTS_SUPPORT_STATUS_MATCHERS_H_
#define MEANFIELD_TESTS_SUPPORT_STATUS_MATCHERS_H_

#include <ostream>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield::testing {

inline const absl::Status& StatusOf(const absl::Status& status) {
  return status;
}
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& value) {
  return value.status();
}

// EXPECT_THAT(expr, IsOk());
MATCHER(IsOk, "is OK") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

// EXPECT_THAT(expr, StatusIs(absl::StatusCode::kNotFound, HasSubstr("x")));
MATCHER_P2(StatusIs, code, message, "") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).code() == code &&
         ::testing::ExplainMatchResult(
             message, std::string(StatusOf(arg).message()), result_listener);
}

}  // namespace meanfield::testing

#define ASSERT_OK(expr) ASSERT_THAT((expr), ::meanfield::testing::IsOk())
#define EXPECT_OK(expr) EXPECT_THAT((expr), ::meanfield::testing::IsOk())
// ASSERT_OK_AND_ASSIGN(auto x, F());
#define ASSERT_OK_AND_ASSIGN(lhs, expr)                                       \
  MEANFIELD_ASSERT_OK_AND_ASSIGN_(MEANFIELD_TEST_CONCAT_(so_, __LINE__), lhs, \
                                  expr)
#define MEANFIELD_TEST_CONCAT_INNER_(a, b) a##b
#define MEANFIELD_TEST_CONCAT_(a, b) MEANFIELD_TEST_CONCAT_INNER_(a, b)
#define MEANFIELD_ASSERT_OK_AND_ASSIGN_(so, lhs, expr) \
  auto so = (expr);                                    \
  ASSERT_TRUE(so.ok()) << so.status();                 \
  lhs = std::move(so).value()

#endif  // MEANFIELD_TESTS_SUPPORT_STATUS_MATCHERS_H_
