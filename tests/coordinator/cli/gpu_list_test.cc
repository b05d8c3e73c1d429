#include "coordinator/cli/gpu_list.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace meanfield::cli {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

GpuInventory FourGpus() {
  GpuInventory present{.driver = "580.65.06"};
  for (int id = 0; id < 4; ++id) {
    present.gpus.push_back({.id = id,
                            .uuid = "GPU-" + std::to_string(id) + "abc",
                            .name = "H100"});
  }
  return present;
}

std::vector<int> Ids(const std::vector<std::string>& values) {
  const absl::StatusOr<std::vector<Gpu>> gpus = SelectGpus(values, FourGpus());
  EXPECT_OK(gpus);
  std::vector<int> ids;
  if (gpus.ok()) {
    for (const Gpu& gpu : *gpus) ids.push_back(gpu.id);
  }
  return ids;
}

TEST(GpuListTest, EveryForm_NamesTheSameGpus) {
  EXPECT_THAT(Ids({"0,1,2"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(Ids({"0 1 2"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(Ids({"0, 1, 2"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(Ids({"0-2"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(Ids({"0", "1", "2"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(Ids({"all"}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Ids({"3", "0-1"}), ElementsAre(3, 0, 1));
  EXPECT_THAT(Ids({"GPU-2abc,GPU-0"}), ElementsAre(2, 0));
}

TEST(GpuListTest, UnknownId_ListsTheGpusPresent) {
  EXPECT_THAT(
      SelectGpus({"0,7"}, FourGpus()),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("no GPU 7"), HasSubstr("3: H100 (GPU-3abc)"))));
}

TEST(GpuListTest, DoubledId_IsRefused) {
  EXPECT_THAT(SelectGpus({"1", "0-2"}, FourGpus()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("GPU 1 is named twice")));
}

TEST(GpuListTest, MalformedEntries_AreRefused) {
  for (const char* value : {"", " , ", "x", "-1", "1-", "2-1", "0.5", "GPU-"}) {
    EXPECT_THAT(
        SelectGpus({value}, FourGpus()),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--gpus")))
        << value;
  }
}

TEST(GpuListTest, NoGpu_IsAnErrorThatSaysSo) {
  EXPECT_THAT(SelectGpus({"all"}, GpuInventory()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("no NVIDIA driver")));
}

}  // namespace
}  // namespace meanfield::cli
