#include "common/convert/convert.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/blob/hash.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "proto/plan.pb.h"
#include "tests/support/status_matchers.h"

namespace meanfield {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::HasSubstr;

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message;
}

auto Refused(std::string_view why) {
  return StatusIs(absl::StatusCode::kInvalidArgument,
                  HasSubstr(std::string(why)));
}

TEST(Convert, Blob_RoundTrips) {
  const Blob blob{BlobIdOf({}), 7};

  ASSERT_OK_AND_ASSIGN(const Blob back, FromProto(ToProto(blob)));

  EXPECT_EQ(back, blob);
}

TEST(Convert, BlobWithAnotherName_IsRefused) {
  EXPECT_THAT(FromProto(proto::BlobRef()), Refused("BlobRef.id: \"\" is not"));
  EXPECT_THAT(FromProto(Parse<proto::BlobRef>("id: '../x\\n'")),
              Refused("BlobRef.id: \"../x\\n\" is not a blob's name"));
}

TEST(Convert, TensorSpec_RoundTrips) {
  for (const TensorRole role : {TensorRole::kTrainable, TensorRole::kBuffer,
                                TensorRole::kCounter, TensorRole::kFrozen}) {
    const TensorSpec spec{"rnn.weight", DType::kBF16, {3, 0, 4}, role};
    ASSERT_OK_AND_ASSIGN(const TensorSpec back, FromProto(ToProto(spec)));
    EXPECT_EQ(back, spec);
  }
}

TEST(Convert, BadTensorSpecs_NameFieldAndTensor) {
  const auto fault = [](const std::string& text) {
    return FromProto(Parse<proto::TensorSpec>(text));
  };
  EXPECT_OK(fault("name: 'w' dtype: 'F32' role: TRAINABLE"));
  EXPECT_THAT(fault("name: 'w' dtype: 'f32' role: TRAINABLE"),
              Refused("TensorSpec.dtype: \"f32\" of tensor \"w\""));
  EXPECT_THAT(fault("name: 'w' dtype: 'F32'"),
              Refused("TensorSpec.role: 0 of tensor \"w\""));
  EXPECT_THAT(fault("name: 'w' dtype: 'F32' role: 77"),
              Refused("TensorSpec.role: 77"));
  EXPECT_THAT(fault("dtype: 'F32' role: FROZEN"), Refused("without a name"));
  EXPECT_THAT(fault("name: 'w' dtype: 'F32' shape: -1 role: FROZEN"),
              Refused("tensor w F32 [-1]"));
  EXPECT_THAT(fault("name: 'w' dtype: 'F32' shape: 4294967296 "
                    "shape: 4294967296 role: FROZEN"),
              Refused("63 bits"));
}

TEST(Convert, TensorSpecs_RefuseANameTwice) {
  auto unit = Parse<proto::UnitResult>(
      "tensors { name: 'a' dtype: 'F32' role: TRAINABLE }"
      "tensors { name: 'b' dtype: 'I64' role: COUNTER }");
  ASSERT_OK_AND_ASSIGN(const std::vector<TensorSpec> specs,
                       FromProto(unit.tensors()));
  EXPECT_EQ(specs.size(), 2);
  EXPECT_EQ(specs[1].name, "b");

  *unit.add_tensors() = unit.tensors(0);
  EXPECT_THAT(FromProto(unit.tensors()),
              Refused("TensorSpec.name: \"a\" is there twice"));
}

TEST(UnitName, NamesRoundTaskKindAndShard) {
  EXPECT_EQ(UnitName(Parse<proto::UnitKey>(
                "run: 'x' round: 3 task: 'ner' kind: TRAIN split: 'train' "
                "shard: 2 model: 'global'")),
            "r3/ner/train/shard 2");
  EXPECT_EQ(UnitName(Parse<proto::UnitKey>(
                "round: 3 task: 'ner' kind: EVALUATE split: 'dev' shard: 2 "
                "model: 'global'")),
            "r3/ner/evaluate dev global/shard 2");
  EXPECT_EQ(UnitName(Parse<proto::UnitKey>("kind: INIT")), "r0/init/shard 0");
}

TEST(UnitName, UnknownKind_IsANumber) {
  EXPECT_EQ(UnitName(Parse<proto::UnitKey>("kind: 77")), "r0/kind 77/shard 0");
}

TEST(UnitName, DifferentUnits_HaveDifferentNames) {
  std::set<std::string> names;
  for (const char* key :
       {"kind: INIT", "kind: TRAIN task: 't'", "kind: TRAIN task: 't' round: 1",
        "kind: TRAIN task: 't' shard: 1", "kind: EVALUATE split: 'dev'",
        "kind: EVALUATE split: 'test'", "kind: PREDICT split: 'test'",
        "kind: EVALUATE split: 'test' model: 'best'"}) {
    names.insert(UnitName(Parse<proto::UnitKey>(key)));
  }

  EXPECT_EQ(names.size(), 8);
}

}  // namespace
}  // namespace meanfield
