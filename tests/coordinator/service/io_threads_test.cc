#include "coordinator/service/io_threads.h"

#include <atomic>
#include <future>
#include <latch>

#include "gtest/gtest.h"

namespace meanfield::service {
namespace {

TEST(IoThreads, ClosuresRunBesideEachOther) {
  IoThreads io(2);
  std::latch both(2);
  std::promise<void> done[2];

  for (std::promise<void>& one : done) {
    io.Post([&] {
      both.arrive_and_wait();
      one.set_value();
    });
  }

  for (std::promise<void>& one : done) one.get_future().wait();
}

TEST(IoThreads, Destructor_RunsWhatIsQueued) {
  std::atomic<int> runs = 0;
  {
    IoThreads io(1);
    for (int i = 0; i < 100; ++i) io.Post([&] { ++runs; });
  }

  EXPECT_EQ(runs, 100);
}

}  // namespace
}  // namespace meanfield::service
