#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/strings.h"
#include "common/tensor/safetensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield {
namespace {

using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Length(uint64_t length) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes;
}

// A file with this header and so many bytes of data, padded so that these are
// aligned to 8.
std::string File(std::string header, size_t data_bytes) {
  while (header.size() % 8 != 0) header += ' ';
  return Length(header.size()) + header + std::string(data_bytes, '\1');
}

absl::Status ParseFault(const std::string& bytes) {
  return SafetensorsFile::Parse(std::as_bytes(std::span(bytes)), "f").status();
}

auto Refused(std::string_view why) {
  return StatusIs(absl::StatusCode::kInvalidArgument,
                  HasSubstr(std::string(why)));
}

constexpr char kOne[] = R"({"a":{"dtype":"F32","shape":[2],)"
                        R"("data_offsets":[0,8]}})";

TEST(SafetensorsParse, WellFormed_GivesViews) {
  const std::string bytes = File(kOne, 8);

  ASSERT_OK_AND_ASSIGN(
      const SafetensorsFile file,
      SafetensorsFile::Parse(std::as_bytes(std::span(bytes)), "f"));

  ASSERT_EQ(file.tensors().size(), 1);
  EXPECT_EQ(file.tensors()[0].spec, (TensorSpec{"a", DType::kF32, {2}}));
  EXPECT_EQ(file.tensors()[0].bytes.size(), 8);
  EXPECT_EQ(file.file_size(), bytes.size());
}

TEST(SafetensorsParse, ForeignFile_WithMetadataAndUnsortedNamesIsRead) {
  const std::string bytes =
      File(R"( )" + std::string() +
               R"({"__metadata__":{"format":"pt","who":"a {\" b"},)"
               R"("z":{"shape":[1],"data_offsets":[0,2],"dtype":"BF16"},)"
               R"("a":{"dtype":"BOOL","shape":[],"data_offsets":[2,3]}})",
           3);
  const std::string trimmed =
      File(R"({"a":{"dtype":"BOOL","shape":[],"data_offsets":[2,3]},)"
           R"("__metadata__":{"format":"pt","who":"a {\" b"},)"
           R"("z":{"shape":[1],"data_offsets":[0,2],"dtype":"BF16"}})",
           3);

  ASSERT_OK_AND_ASSIGN(
      const SafetensorsFile file,
      SafetensorsFile::Parse(std::as_bytes(std::span(trimmed)), "f"));

  EXPECT_EQ(file.tensors()[0].spec.name, "z");
  EXPECT_EQ(file.tensors()[1].spec.name, "a");
  EXPECT_THAT(ParseFault(bytes), Refused("does not start with '{'"));
}

TEST(SafetensorsParse, EmptyTensors_MayShareAnOffset) {
  const std::string bytes =
      File(R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
           R"("a":{"dtype":"F64","shape":[0],"data_offsets":[0,0]},)"
           R"("c":{"dtype":"F64","shape":[0,7],"data_offsets":[4,4]}})",
           4);

  EXPECT_OK(ParseFault(bytes));
}

TEST(SafetensorsParse, BadLengths_AreRefused) {
  EXPECT_THAT(ParseFault(""), Refused("only 0 bytes"));
  EXPECT_THAT(ParseFault("1234567"), Refused("only 7 bytes"));
  EXPECT_THAT(ParseFault(Length(1)), Refused("but only 0 follow"));
  EXPECT_THAT(ParseFault(Length(3) + "{}"), Refused("but only 2 follow"));
  EXPECT_THAT(ParseFault(Length(100'000'001) + "{}"), Refused("the limit is"));
  EXPECT_THAT(ParseFault(Length(UINT64_MAX) + "{}"), Refused("the limit is"));
  EXPECT_THAT(ParseFault(Length(0)), Refused("does not start with '{'"));
  EXPECT_OK(ParseFault(Length(2) + "{}"));
}

TEST(SafetensorsParse, NotJson_IsRefused) {
  for (const char* header :
       {"{", "{}}", "{} x", "{\"a\"}", "{\"a\":}", "{\"\xff\":{}}", "{,}",
        "{\"a\":{\"shape\":[1e999]}}", "{\"a\":{\"shape\":[01]}}"}) {
    EXPECT_THAT(ParseFault(File(header, 0)), Refused("f: header: ")) << header;
  }
}

TEST(SafetensorsParse, Fault_NamesFileAndTensor) {
  EXPECT_EQ(ParseFault(File(R"({"a.b":{"dtype":"F33","shape":[]}})", 0)),
            absl::InvalidArgumentError(
                "f: header: tensor a.b: unknown dtype \"F33\""));
}

TEST(SafetensorsParse, WrongTypes_AreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"a":[]})", "an array instead of an object"},
      {R"({"a":1})", "a number instead of an object"},
      {R"({"a":null})", "null instead of an object"},
      {R"({"a":{"dtype":{}}})", "dtype is an object"},
      {R"({"a":{"dtype":1}})", "dtype is a number"},
      {R"({"a":{"dtype":["F32"]}})", "dtype is an array"},
      {R"({"a":{"shape":"1"}})", "shape holds a string"},
      {R"({"a":{"shape":7}})", "shape holds a number"},
      {R"({"a":{"shape":[-1]}})", "shape holds a negative number"},
      {R"({"a":{"shape":[1.0]}})", "not an integer of 64 bits"},
      {R"({"a":{"shape":[99999999999999999999]}})", "not an integer"},
      {R"({"a":{"shape":[9223372036854775808]}})", "does not fit 63 bits"},
      {R"({"a":{"shape":[[1]]}})", "shape holds an array"},
      {R"({"a":{"shape":[{}]}})", "shape holds an object"},
      {R"({"a":{"shape":[true]}})", "shape holds a boolean"},
      {R"({"a":{"data_offsets":[0]}})", "1 data_offsets, expected two"},
      {R"({"a":{"data_offsets":[0,1,2]}})", "more than two data_offsets"},
      {R"({"a":{"data_offsets":{}}})", "data_offsets hold an object"},
      {R"({"__metadata__":1})", "__metadata__ holds a number"},
      {R"({"__metadata__":{"a":1}})", "__metadata__ holds a number"},
      {R"({"__metadata__":{"a":{}}})", "__metadata__ holds an object"},
  };
  for (const auto& [header, why] : cases) {
    EXPECT_THAT(ParseFault(File(header, 0)), Refused(why)) << header;
  }
}

TEST(SafetensorsParse, KeysMissingUnknownOrTwice_AreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"a":{}})", "dtype is missing"},
      {R"({"a":{"dtype":"U8","data_offsets":[0,0]}})", "shape is missing"},
      {R"({"a":{"dtype":"U8","shape":[0]}})", "data_offsets is missing"},
      {R"({"a":{"strides":[1]}})", "unknown key \"strides\""},
      {R"({"a":{"dtype":"U8","dtype":"U8"}})", "dtype is there twice"},
      {R"({"a":{"shape":[],"shape":[]}})", "shape is there twice"},
      {R"({"__metadata__":{},"__metadata__":{}})", "is there twice"},
      {R"({"__metadata__":{"a":"","a":""}})", "is there twice"},
      {R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
       R"("\u0061":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
       "tensor a: the name is there twice"},
      {R"({"":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
       "without a name"},
  };
  for (const auto& [header, why] : cases) {
    EXPECT_THAT(ParseFault(File(header, 0)), Refused(why)) << header;
  }
}

std::string TwoTensors(int begin_b, int end_b) {
  return StrCat(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)",
                R"("b":{"dtype":"U8","shape":[)", end_b - begin_b,
                R"(],"data_offsets":[)", begin_b, ",", end_b, "]}}");
}

TEST(SafetensorsParse, OffsetsOutsideGapsAndOverlaps_AreRefused) {
  EXPECT_OK(ParseFault(File(TwoTensors(4, 8), 8)));
  EXPECT_THAT(ParseFault(File(TwoTensors(5, 8), 8)),
              Refused("tensor b U8 [3]: its data start at byte 5, a gap"));
  EXPECT_THAT(ParseFault(File(TwoTensors(3, 8), 8)), Refused("overlap"));
  EXPECT_THAT(ParseFault(File(TwoTensors(0, 4), 4)), Refused("overlap"));
  EXPECT_THAT(ParseFault(File(TwoTensors(4, 8), 7)),
              Refused("are outside the 7 bytes"));
  EXPECT_THAT(ParseFault(File(TwoTensors(4, 8), 9)),
              Refused("bytes of no tensor"));
  EXPECT_THAT(ParseFault(File("{}", 1)), Refused("bytes of no tensor"));
}

TEST(SafetensorsParse, ShapeThatDoesNotFitItsBytes_IsRefused) {
  const auto fault = [](std::string_view shape, std::string_view offsets) {
    return ParseFault(File(StrCat(R"({"a":{"dtype":"F32","shape":)", shape,
                                  R"(,"data_offsets":)", offsets, "}}"),
                           8));
  };
  EXPECT_OK(fault("[2]", "[0,8]"));
  EXPECT_THAT(fault("[3]", "[0,8]"),
              Refused("hold 8 bytes, its shape needs 12"));
  EXPECT_THAT(fault("[]", "[0,8]"), Refused("its shape needs 4"));
  EXPECT_THAT(fault("[0]", "[0,8]"), Refused("its shape needs 0"));
  EXPECT_THAT(fault("[2]", "[8,0]"), Refused("are outside"));
  // 2^62 + 2 elements: their bytes are 8 modulo 2^64.
  EXPECT_THAT(fault("[4611686018427387906]", "[0,8]"),
              Refused("do not fit 63 bits"));
  EXPECT_THAT(fault("[4294967296,4294967296]", "[0,8]"),
              Refused("do not fit 63 bits"));
}

TEST(SafetensorsParse, DeepNesting_IsRefusedAtOnce) {
  EXPECT_THAT(ParseFault(File("{\"a\":" + std::string(1'000'000, '['), 0)),
              Refused("an array instead of an object"));
}

TEST(SafetensorsParse, DataNotAlignedToElements_IsRefused) {
  std::string header = kOne;
  while (header.size() % 8 != 1) header += ' ';
  const std::string bytes = Length(header.size()) + header + std::string(8, 0);

  EXPECT_THAT(ParseFault(bytes), Refused("tensor a F32 [2]: its data are not "
                                         "aligned"));
}

TEST(SafetensorsFileTest, Open_FaultsNameTheFile) {
  const TemporaryFolder folder;
  const std::string missing = folder.File("missing");
  const std::string empty = folder.Write("empty", "");
  const std::string cut = folder.Write("cut", File(kOne, 7));
  const std::string pipe = folder.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);

  EXPECT_THAT(SafetensorsFile::Open(missing),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(missing)));
  EXPECT_THAT(SafetensorsFile::Open(empty), Refused(empty + " is empty"));
  EXPECT_THAT(SafetensorsFile::Open(cut), Refused(cut + ": tensor a"));
  EXPECT_THAT(SafetensorsFile::Open(pipe), Refused("not a regular file"));
  EXPECT_THAT(SafetensorsFile::Open(folder.path()),
              Refused("not a regular file"));
}

TEST(SafetensorsFileTest, Moved_KeepsItsViews) {
  const TemporaryFolder folder;
  ASSERT_OK_AND_ASSIGN(SafetensorsFile file,
                       SafetensorsFile::Open(folder.Write("f", File(kOne, 8))));
  const SafetensorsFile moved = std::move(file);

  ASSERT_NE(moved.Find("a"), nullptr);
  EXPECT_EQ(moved.Find("a")->As<uint32_t>()[0], 0x01010101);
}

TEST(SafetensorsFileTest, Find_AbsentNameIsNull) {
  const std::string bytes = File(kOne, 8);
  ASSERT_OK_AND_ASSIGN(
      const SafetensorsFile file,
      SafetensorsFile::Parse(std::as_bytes(std::span(bytes)), "f"));

  EXPECT_EQ(file.Find(""), nullptr);
  EXPECT_EQ(file.Find("A"), nullptr);
  EXPECT_EQ(file.Find("b"), nullptr);
}

TEST(SafetensorsFileTest, Get_FaultsSayWhatIsThere) {
  const std::string bytes = File(kOne, 8);
  ASSERT_OK_AND_ASSIGN(
      const SafetensorsFile file,
      SafetensorsFile::Parse(std::as_bytes(std::span(bytes)), "f"));

  EXPECT_OK(file.Get("a", DType::kF32, 1));
  EXPECT_THAT(file.Get("b", DType::kF32, 1), Refused("f: no tensor b"));
  EXPECT_THAT(file.Get("a", DType::kI32, 1),
              Refused("f: tensor a F32 [2]: expected I32 with 1 dimensions"));
  EXPECT_THAT(file.Get("a", DType::kF32, 2), Refused("with 2 dimensions"));
}

}  // namespace
}  // namespace meanfield
