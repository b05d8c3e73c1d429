#ifndef MEANFIELD_TESTS_COORDINATOR_REPORT_SAMPLE_RUN_H_
#define MEANFIELD_TESTS_COORDINATOR_REPORT_SAMPLE_RUN_H_

#include <bit>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/event.pb.h"

namespace meanfield::testing {

inline void AddScore(const std::string& name, double value,
                     proto::EvaluationRecord& record) {
  proto::Score& score = *record.add_scores();
  score.set_name(name);
  score.set_value(value);
}

inline void AddRound(uint32_t number, double accuracy, proto::RunDetails& run) {
  proto::RoundRecord& round = *run.add_rounds();
  round.mutable_plan()->set_round(number);
  proto::ShardPlan& shard = *round.mutable_plan()->add_cohort();
  shard.mutable_train()->set_lr_first_bits(std::bit_cast<uint32_t>(16.0f));
  round.mutable_model()->set_id(absl::StrCat("xxh3-model", number));
  round.set_train_loss(2.0 / number);
  round.set_tokens(1000);
  round.set_examples(100);
  round.set_bytes(5000);
  round.set_wall_s(2);
  proto::Verdict& verdict = *run.add_verdicts();
  verdict.set_round(number);
  verdict.set_main_score(accuracy);
  verdict.set_evaluate_s(0.5);
  verdict.mutable_dev()->set_loss(1.5);
  AddScore("accuracy", accuracy, *verdict.mutable_dev());
  AddScore("macro_f1", accuracy / 2, *verdict.mutable_dev());
}

inline void AddClass(const std::string& label, uint64_t support,
                     proto::EvaluationRecord& record) {
  proto::ClassScore& entry = *record.add_classes();
  entry.set_label(label);
  entry.set_precision(0.5);
  entry.set_recall(0.25);
  entry.set_f1(0.3333);
  entry.set_support(support);
}

// Three rounds of which the second is the best, tested, on two workers.
inline proto::RunDetails SampleRun() {
  proto::RunDetails run;
  proto::RunRecord& record = *run.mutable_run();
  record.set_id("toy-20261130-143611-a1b2");
  record.set_state(proto::DONE);
  record.set_job_path("jobs/toy.textproto");
  record.set_numerics_class("cpu avx2");
  record.set_started_unix_ms(1'796'049'371'000);
  record.set_ended_unix_ms(1'796'049'412'300);
  record.set_best_round(2);
  record.mutable_best_model()->set_id("xxh3-model2");
  proto::Task& task = *record.mutable_job()->add_task();
  task.set_metric("accuracy");
  task.mutable_training()->mutable_sgd()->set_learning_rate(16);
  proto::ShardRecord& shard = *record.add_shards();
  shard.set_split("train");
  shard.set_examples(100);
  AddRound(1, 0.5, run);
  AddRound(2, 0.75, run);
  AddRound(3, 0.7, run);
  proto::EvaluationRecord& test = *run.add_tests();
  test.set_model("best (round 2)");
  test.set_majority_label("libs");
  test.set_majority_accuracy(0.11);
  AddScore("accuracy", 0.7561, test);
  AddScore("macro_f1", 0.6123, test);
  AddClass("libs", 60, test);
  AddClass("doc", 40, test);
  proto::Confusion& confusion = *test.add_confusions();
  confusion.set_gold("libs");
  confusion.set_predicted("libdevel");
  confusion.set_count(23);
  for (const char* name : {"host:cpu:0", "host:cpu:1"}) {
    proto::WorkerRecord& worker = *run.add_workers();
    worker.set_id(name);
    worker.set_device("cpu");
    worker.set_units(10);
    worker.set_steps(50);
    worker.set_examples(150);
    worker.set_busy_s(33.1);
    worker.set_peak_memory_bytes(412'000'000);
  }
  return run;
}

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_COORDINATOR_REPORT_SAMPLE_RUN_H_
