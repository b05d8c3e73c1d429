#ifndef MEANFIELD_TESTS_COORDINATOR_STORE_RUN_STORE_FIXTURE_H_
#define MEANFIELD_TESTS_COORDINATOR_STORE_RUN_STORE_FIXTURE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "coordinator/store/run_store.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::store {

inline proto::RunRecord MakeRun(const std::string& id, int64_t created = 0) {
  proto::RunRecord run;
  run.set_id(id);
  run.set_created_unix_ms(created);
  return run;
}

inline proto::RoundPlan MakePlan(uint32_t round, uint64_t steps = 10) {
  proto::RoundPlan plan;
  plan.set_round(round);
  plan.add_cohort()->mutable_train()->set_num_steps(steps);
  return plan;
}

inline proto::Verdict MakeVerdict(uint32_t round, double score = 0.5) {
  proto::Verdict verdict;
  verdict.set_round(round);
  verdict.set_main_score(score);
  return verdict;
}

// A state directory, opened.
class RunStoreTest : public ::testing::Test {
 protected:
  void SetUp() override { Reopen(); }
  void Reopen() {
    store_.reset();
    auto opened = RunStore::Open(state_dir());
    ASSERT_OK(opened);
    store_ = *std::move(opened);
  }
  std::string state_dir() const { return folder_.File("state"); }
  std::string database() const { return state_dir() + "/meanfield.sqlite"; }

  // The record of a round whose model has such bytes, which are put in place.
  static proto::RoundRecord MakeRound(RunStore& store, uint32_t round,
                                      const std::string& bytes) {
    const auto blob = store.blobs().Put(bytes, Durability::kDurable);
    EXPECT_OK(blob);
    proto::RoundRecord record;
    *record.mutable_plan() = MakePlan(round);
    record.mutable_model()->set_id(blob->id);
    record.mutable_model()->set_size(blob->size);
    return record;
  }

  testing::TemporaryFolder folder_;
  std::unique_ptr<RunStore> store_;
};

}  // namespace meanfield::store

#endif  // MEANFIELD_TESTS_COORDINATOR_STORE_RUN_STORE_FIXTURE_H_
