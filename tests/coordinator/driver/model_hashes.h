#ifndef MEANFIELD_TESTS_COORDINATOR_DRIVER_MODEL_HASHES_H_
#define MEANFIELD_TESTS_COORDINATOR_DRIVER_MODEL_HASHES_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proto/event.pb.h"
#include "tests/support/driver/simulation.h"

namespace meanfield::testing {

inline std::vector<std::string> ModelHashes(const proto::RunDetails& run) {
  std::vector<std::string> hashes;
  for (const proto::RoundRecord& round : run.rounds()) {
    hashes.push_back(round.model().id());
  }
  return hashes;
}

// The hashes of an undisturbed run with so many workers.
inline std::vector<std::string> HashesWith(int workers) {
  Simulation simulation;
  for (int i = 0; i < workers; ++i) {
    simulation.AddWorker(absl::StrCat("w", i));
  }
  const std::string run = simulation.Submit({});
  simulation.Settle();
  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  return ModelHashes(details);
}

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_COORDINATOR_DRIVER_MODEL_HASHES_H_
