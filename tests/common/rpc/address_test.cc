#include "common/rpc/address.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace meanfield::rpc {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::HasSubstr;

TEST(Address, ReadsHostAndPort) {
  ASSERT_OK_AND_ASSIGN(const Address address, ParseAddress("head-1.lab:7070"));

  EXPECT_EQ(address, (Address{.host = "head-1.lab", .port = 7070}));
}

TEST(Address, Ipv6HostStandsInBrackets) {
  ASSERT_OK_AND_ASSIGN(const Address address, ParseAddress("[::1]:0"));

  EXPECT_EQ(address, (Address{.host = "::1", .port = 0}));
  EXPECT_EQ(ToString(address), "[::1]:0");
}

class MalformedAddress : public ::testing::TestWithParam<const char*> {};

TEST_P(MalformedAddress, IsRefused) {
  EXPECT_THAT(ParseAddress(GetParam()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected host:port")));
}

INSTANTIATE_TEST_SUITE_P(All, MalformedAddress,
                         ::testing::Values("", "host", "host:", ":7070",
                                           "host:70707", "host:-1", "host:+5",
                                           "host:7o7o", "::1:7070", "[]:1",
                                           "http://host:80", "a b:1",
                                           "host:1 "));

TEST(Address, LoopbackIsWhatOthersCannotReach) {
  EXPECT_TRUE(IsLoopback({.host = "127.0.0.1"}));
  EXPECT_TRUE(IsLoopback({.host = "127.3.2.1"}));
  EXPECT_TRUE(IsLoopback({.host = "::1"}));
  EXPECT_TRUE(IsLoopback({.host = "localhost"}));
  EXPECT_FALSE(IsLoopback({.host = "0.0.0.0"}));
  EXPECT_FALSE(IsLoopback({.host = "::"}));
  EXPECT_FALSE(IsLoopback({.host = "10.0.0.1"}));
  EXPECT_FALSE(IsLoopback({.host = "127.evil.example"}));
}

TEST(WhyNotListening, ForeignAddress_NamesAddressAndReason) {
  EXPECT_THAT(WhyNotListening({.host = "192.0.2.1", .port = 7}),
              StatusIs(absl::StatusCode::kUnavailable,
                       ::testing::AllOf(HasSubstr("192.0.2.1:7"),
                                        HasSubstr("Cannot assign"))));
}

}  // namespace
}  // namespace meanfield::rpc
