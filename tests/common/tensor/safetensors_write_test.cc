#include <sys/resource.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/base/strings.h"
#include "common/tensor/safetensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield {
namespace {

using ::meanfield::testing::ReadFile;
using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr DType kAllDTypes[] = {
    DType::kF64, DType::kF32, DType::kF16, DType::kBF16, DType::kI64,
    DType::kI32, DType::kI16, DType::kI8,  DType::kU8,   DType::kBool};

std::vector<std::string> NamesOf(const SafetensorsFile& file) {
  std::vector<std::string> names;
  for (const TensorView& tensor : file.tensors()) {
    names.push_back(tensor.spec.name);
  }
  return names;
}

class SafetensorsWriteTest : public ::testing::Test {
 protected:
  absl::StatusOr<SafetensorsWriter> Create(std::vector<TensorSpec> specs) {
    return SafetensorsWriter::Create(path_, std::move(specs));
  }
  bool FileExists() const { return std::filesystem::exists(path_); }

  TemporaryFolder folder_;
  const std::string path_ = folder_.File("model.safetensors");
};

TEST_F(SafetensorsWriteTest, Bytes_AreGolden) {
  ASSERT_OK_AND_ASSIGN(SafetensorsWriter writer,
                       Create({{"b", DType::kF32, {2}},
                               {"a", DType::kU8, {3}},
                               {"n", DType::kI64, {}}}));
  writer.MutableAs<float>("b")[0] = 1;
  writer.MutableAs<float>("b")[1] = -2;
  writer.MutableAs<uint8_t>("a")[2] = 7;
  writer.MutableAs<int64_t>("n")[0] = 258;
  ASSERT_OK(writer.Finish());

  const std::string json =
      R"({"__metadata__":{"format":"pt"},)"
      R"("n":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},)"
      R"("a":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}})";
  const std::string_view length("\xf8\0\0\0\0\0\0\0", 8);
  const std::string_view data(
      "\x02\x01\0\0\0\0\0\0"  // 258
      "\0\0\x80\x3f"
      "\0\0\0\xc0"  // 1, -2
      "\0\0\x07",
      19);
  EXPECT_EQ(ReadFile(path_),
            StrCat(length, json, std::string(248 - 192, ' '), data));
}

TEST_F(SafetensorsWriteTest, Order_IsSizeOfDTypeThenName) {
  ASSERT_OK_AND_ASSIGN(SafetensorsWriter writer,
                       Create({{"b", DType::kF32, {1}},
                               {"z", DType::kI64, {1}},
                               {"c", DType::kU8, {1}},
                               {"a", DType::kBool, {1}},
                               {"d", DType::kBF16, {1}},
                               {"a10", DType::kI32, {1}},
                               {"a9", DType::kF32, {1}}}));
  ASSERT_OK(writer.Finish());

  ASSERT_OK_AND_ASSIGN(const SafetensorsFile file,
                       SafetensorsFile::Open(path_));
  EXPECT_THAT(NamesOf(file), ElementsAre("z", "a10", "a9", "b", "d", "a", "c"));
}

TEST_F(SafetensorsWriteTest, EqualTensors_GiveEqualBytesInAnyOrder) {
  const std::string other = folder_.File("other.safetensors");
  ASSERT_OK(WriteSafetensors(path_, {}));
  std::vector<TensorSpec> specs = {{"a", DType::kF32, {2, 3}},
                                   {"b", DType::kF64, {4}}};
  ASSERT_OK_AND_ASSIGN(SafetensorsWriter first, Create(specs));
  std::swap(specs[0], specs[1]);
  ASSERT_OK_AND_ASSIGN(SafetensorsWriter second,
                       SafetensorsWriter::Create(other, specs));
  ASSERT_OK(first.Finish());
  ASSERT_OK(second.Finish());

  EXPECT_EQ(ReadFile(path_), ReadFile(other));
}

TEST_F(SafetensorsWriteTest, EveryDType_ComesBack) {
  std::vector<TensorSpec> specs;
  for (const DType dtype : kAllDTypes) {
    specs.push_back({std::string(DTypeName(dtype)), dtype, {2, 3}});
  }
  ASSERT_OK_AND_ASSIGN(SafetensorsWriter writer, Create(specs));
  const auto mark = [](const TensorSpec& spec) {
    return static_cast<std::byte>(spec.name.back());
  };
  for (const TensorSpec& spec : specs) {
    for (std::byte& byte : writer.Mutable(spec.name)) byte = mark(spec);
  }
  ASSERT_OK(writer.Finish());

  ASSERT_OK_AND_ASSIGN(const SafetensorsFile file,
                       SafetensorsFile::Open(path_));
  for (const TensorSpec& spec : specs) {
    ASSERT_OK_AND_ASSIGN(const TensorView view,
                         file.Get(spec.name, spec.dtype, 2));
    EXPECT_EQ(view.spec, spec);
    EXPECT_EQ(view.bytes.size(), 6 * SizeOf(spec.dtype));
    EXPECT_EQ(view.bytes.back(), mark(spec));
  }
}

TEST_F(SafetensorsWriteTest, ScalarsAndEmptyTensors_ComeBack) {
  const std::vector<TensorSpec> specs = {{"empty", DType::kF64, {0}},
                                         {"empty2", DType::kF64, {3, 0}},
                                         {"scalar", DType::kF32, {}},
                                         {"void", DType::kU8, {0, 0}}};
  ASSERT_OK_AND_ASSIGN(SafetensorsWriter writer, Create(specs));
  writer.MutableAs<float>("scalar")[0] = 3;
  EXPECT_TRUE(writer.Mutable("empty").empty());
  ASSERT_OK(writer.Finish());

  ASSERT_OK_AND_ASSIGN(const SafetensorsFile file,
                       SafetensorsFile::Open(path_));
  for (const TensorSpec& spec : specs) {
    ASSERT_NE(file.Find(spec.name), nullptr);
    EXPECT_EQ(file.Find(spec.name)->spec, spec);
  }
  EXPECT_THAT(file.Find("scalar")->As<float>(), ElementsAre(3));
}

TEST_F(SafetensorsWriteTest, NoTensors_IsAFile) {
  ASSERT_OK(WriteSafetensors(path_, {}));

  ASSERT_OK_AND_ASSIGN(const SafetensorsFile file,
                       SafetensorsFile::Open(path_));
  EXPECT_TRUE(file.tensors().empty());
  EXPECT_EQ(file.file_size() % 64, 0);
}

TEST_F(SafetensorsWriteTest, Data_StartsAtMultipleOf64WhateverTheNames) {
  for (size_t length = 1; length < 140; ++length) {
    ASSERT_OK_AND_ASSIGN(
        SafetensorsWriter writer,
        Create({{std::string(length, 'n'), DType::kF64, {1}}}));
    ASSERT_OK(writer.Finish());
    EXPECT_EQ(std::filesystem::file_size(path_) % 64, 8);
    ASSERT_OK(SafetensorsFile::Open(path_));
  }
}

TEST_F(SafetensorsWriteTest, Names_WithQuotesAndLettersComeBack) {
  const std::vector<std::string> names = {"a\"b", "a\\", "größe", "line\n",
                                          std::string("nul\0x", 5)};
  std::vector<TensorSpec> specs;
  for (const std::string& name : names) specs.push_back({name, DType::kU8, {}});
  ASSERT_OK_AND_ASSIGN(SafetensorsWriter writer, Create(specs));
  ASSERT_OK(writer.Finish());

  ASSERT_OK_AND_ASSIGN(const SafetensorsFile file,
                       SafetensorsFile::Open(path_));
  EXPECT_THAT(NamesOf(file), ::testing::UnorderedElementsAreArray(names));
}

TEST_F(SafetensorsWriteTest, WriteSafetensors_CopiesViews) {
  const std::vector<float> values = {1, 2, 3, 4};
  ASSERT_OK(WriteSafetensors(path_,
                             {{.spec = {"w", DType::kF32, {2, 2}},
                               .bytes = std::as_bytes(std::span(values))},
                              {.spec = {"e", DType::kF32, {0}}, .bytes = {}}}));

  ASSERT_OK_AND_ASSIGN(const SafetensorsFile file,
                       SafetensorsFile::Open(path_));
  EXPECT_THAT(file.Find("w")->As<float>(), ElementsAre(1, 2, 3, 4));
}

TEST_F(SafetensorsWriteTest, BadSpecs_AreRefusedAndLeaveNoFile) {
  const auto refused = [](std::string_view why) {
    return StatusIs(absl::StatusCode::kInvalidArgument,
                    HasSubstr(std::string(why)));
  };
  EXPECT_THAT(Create({{"a", DType::kU8, {}}, {"a", DType::kF32, {}}}),
              refused("tensor a is there twice"));
  EXPECT_THAT(Create({{"__metadata__", DType::kU8, {}}}), refused("reserved"));
  EXPECT_THAT(Create({{"", DType::kU8, {}}}), refused("without a name"));
  EXPECT_THAT(Create({{"a\xff", DType::kU8, {}}}), refused("not UTF-8"));
  EXPECT_THAT(Create({{"a", DType::kU8, {-1}}}), refused("negative"));
  EXPECT_FALSE(FileExists());
}

TEST_F(SafetensorsWriteTest, ExistingFile_IsReplacedForNewReadersOnly) {
  const std::vector<float> old = {1};
  ASSERT_OK(
      WriteSafetensors(path_, {{.spec = {"w", DType::kF32, {1}},
                                .bytes = std::as_bytes(std::span(old))}}));
  ASSERT_OK_AND_ASSIGN(const SafetensorsFile mapped,
                       SafetensorsFile::Open(path_));

  ASSERT_OK(WriteSafetensors(path_, {}));

  EXPECT_THAT(mapped.Find("w")->As<float>(), ElementsAre(1));
  ASSERT_OK_AND_ASSIGN(const SafetensorsFile now, SafetensorsFile::Open(path_));
  EXPECT_TRUE(now.tensors().empty());
}

TEST_F(SafetensorsWriteTest, Unfinished_IsRemoved) {
  {
    ASSERT_OK_AND_ASSIGN(SafetensorsWriter writer,
                         Create({{"a", DType::kU8, {}}}));
    EXPECT_TRUE(FileExists());
  }
  EXPECT_FALSE(FileExists());
}

TEST_F(SafetensorsWriteTest, FolderThatIsNotThere_IsNamed) {
  EXPECT_THAT(
      SafetensorsWriter::Create(folder_.File("no/x"), {{"a", DType::kU8, {}}}),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr(folder_.File("no/x"))));
}

TEST_F(SafetensorsWriteTest, NoSpace_IsResourceExhaustedAndLeavesNoFile) {
  // A limit on the size of files stands in for a full disk: allocation fails
  // the same way.
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = 1 << 20;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);

  const absl::Status status =
      Create({{"a", DType::kU8, {int64_t{2} << 20}}}).status();

  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(status,
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr(path_)));
  EXPECT_FALSE(FileExists());
}

using SafetensorsWriteDeathTest = SafetensorsWriteTest;

TEST_F(SafetensorsWriteDeathTest, UnknownTensorAndUseAfterFinish_Abort) {
  ASSERT_OK_AND_ASSIGN(SafetensorsWriter writer,
                       Create({{"a", DType::kU8, {}}}));
  EXPECT_DEATH(writer.Mutable("b"), "b");
  ASSERT_OK(writer.Finish());
  EXPECT_DEATH(writer.Mutable("a"), "after Finish");
}

}  // namespace
}  // namespace meanfield
