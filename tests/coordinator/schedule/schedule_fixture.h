#ifndef MEANFIELD_TESTS_COORDINATOR_SCHEDULE_SCHEDULE_FIXTURE_H_
#define MEANFIELD_TESTS_COORDINATOR_SCHEDULE_SCHEDULE_FIXTURE_H_

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "coordinator/schedule/schedule.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace meanfield::schedule {

// A job with one task "t", batches of 10 and SGD at 0.5, and `more`.
inline proto::JobSpec MakeJob(const std::string& more,
                              const std::string& training = "") {
  proto::JobSpec job;
  const std::string text =
      "seed: 7 task { name: 't' metric: 'accuracy' training { batch_size: 10 "
      "sgd { learning_rate: 0.5 } " +
      training + "} } " + more;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job));
  return job;
}

// Shards of "t" with so many examples; 100 tokens each.
inline std::vector<ShardSize> MakeShards(
    const std::vector<uint64_t>& examples) {
  std::vector<ShardSize> shards;
  for (const uint64_t count : examples) {
    shards.push_back({.task = "t",
                      .shard = static_cast<uint32_t>(shards.size()),
                      .examples = count,
                      .tokens = 100});
  }
  return shards;
}

// All plans of a run, to its last.
inline std::vector<proto::RoundPlan> AllPlans(
    const proto::JobSpec& job, const std::vector<ShardSize>& shards,
    Past past = {}) {
  std::vector<proto::RoundPlan> plans;
  while (plans.empty() || !plans.back().last()) {
    plans.push_back(MakePlan(job, shards, past));
    past.Add(plans.back());
  }
  return plans;
}

// The steps of a shard, round by round; 0 where it is not in the cohort. Fails
// where they do not follow each other.
inline std::vector<uint64_t> StepsOf(const std::vector<proto::RoundPlan>& plans,
                                     uint32_t shard, uint64_t first = 0) {
  std::vector<uint64_t> steps;
  for (const proto::RoundPlan& plan : plans) {
    steps.push_back(0);
    for (const proto::ShardPlan& entry : plan.cohort()) {
      if (entry.shard() != shard) continue;
      EXPECT_EQ(entry.train().first_step(), first);
      steps.back() = entry.train().num_steps();
      first += steps.back();
    }
  }
  return steps;
}

inline float Rate(uint32_t bits) { return std::bit_cast<float>(bits); }

}  // namespace meanfield::schedule

#endif  // MEANFIELD_TESTS_COORDINATOR_SCHEDULE_SCHEDULE_FIXTURE_H_
