#include "coordinator/cli/gpu_inventory.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace meanfield::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Gpu> Three() {
  return {{.id = 0, .uuid = "GPU-aa"},
          {.id = 1, .uuid = "GPU-bb"},
          {.id = 2, .uuid = "GPU-cc"}};
}

std::vector<std::string> Visible(std::optional<absl::string_view> list) {
  std::vector<std::string> uuids;
  const std::vector<Gpu> gpus = VisibleGpus(Three(), list);
  for (size_t i = 0; i < gpus.size(); ++i) {
    EXPECT_EQ(gpus[i].id, static_cast<int>(i));
    uuids.push_back(gpus[i].uuid);
  }
  return uuids;
}

TEST(GpuInventoryTest, NoLibrary_IsNoGpu) {
  ASSERT_OK_AND_ASSIGN(const GpuInventory found,
                       FindGpus("/nonexistent/libnvidia-ml.so.1"));

  EXPECT_THAT(found.gpus, IsEmpty());
  EXPECT_EQ(found.driver, "");
}

TEST(GpuInventoryTest, Library_GivesNamesUuidsAndMemory) {
  ASSERT_OK_AND_ASSIGN(const GpuInventory found, FindGpus(MEANFIELD_FAKE_NVML));

  ASSERT_EQ(found.gpus.size(), 2u);
  EXPECT_EQ(found.driver, "580.65.06");
  EXPECT_EQ(found.gpus[1].uuid, "GPU-2222");
  EXPECT_EQ(found.gpus[1].name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(found.gpus[1].memory_bytes, 85899345920u);
}

TEST(GpuInventoryTest, VisibleDevices_RenumberAndEndAtTheFirstUnknown) {
  EXPECT_THAT(Visible(std::nullopt), ElementsAre("GPU-aa", "GPU-bb", "GPU-cc"));
  EXPECT_THAT(Visible("2, 0"), ElementsAre("GPU-cc", "GPU-aa"));
  EXPECT_THAT(Visible("GPU-bb"), ElementsAre("GPU-bb"));
  EXPECT_THAT(Visible("1,9,0"), ElementsAre("GPU-bb"));
  EXPECT_THAT(Visible(""), IsEmpty());
  EXPECT_THAT(Visible("-1"), IsEmpty());
}

}  // namespace
}  // namespace meanfield::cli
