#include <cmath>
#include <string>

#include "coordinator/report/report.h"
#include "coordinator/report/run_view.h"
#include "nlohmann/json.hpp"

namespace meanfield::report {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN and no infinity.
Json Number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json Scores(const proto::EvaluationRecord& evaluation) {
  Json scores = Json::object();
  for (const proto::Score& score : evaluation.scores()) {
    scores[score.name()] = Number(score.value());
  }
  scores["loss"] = Number(evaluation.loss());
  return scores;
}

Json Round(const proto::RunDetails& run, const proto::RoundRecord& round) {
  const proto::Verdict* verdict = VerdictOf(run, round.plan().round());
  const bool has_dev = verdict != nullptr && verdict->has_dev();
  return {{"round", round.plan().round()},
          {"model_hash", round.model().id()},
          {"train_loss", Number(round.train_loss())},
          {"wall_s", Number(WallSeconds(run, round))},
          {"tokens", round.tokens()},
          {"examples", round.examples()},
          {"bytes", round.bytes()},
          {"dev", has_dev ? Scores(verdict->dev()) : Json(nullptr)}};
}

Json Best(const proto::RunDetails& run) {
  if (run.run().best_round() == 0) return nullptr;
  const proto::Verdict* verdict = BestVerdict(run);
  return {{"round", run.run().best_round()},
          {"model_hash", run.run().best_model().id()},
          {"score",
           verdict == nullptr ? Json(nullptr) : Number(verdict->main_score())},
          {"metric", MetricOf(run)}};
}

Json Classes(const proto::EvaluationRecord& evaluation) {
  Json classes = Json::array();
  for (const proto::ClassScore& entry : evaluation.classes()) {
    classes.push_back({{"label", entry.label()},
                       {"precision", Number(entry.precision())},
                       {"recall", Number(entry.recall())},
                       {"f1", Number(entry.f1())},
                       {"support", entry.support()}});
  }
  return classes;
}

Json Confusions(const proto::EvaluationRecord& evaluation) {
  Json confusions = Json::array();
  for (const proto::Confusion& entry : evaluation.confusions()) {
    confusions.push_back({{"gold", entry.gold()},
                          {"predicted", entry.predicted()},
                          {"count", entry.count()}});
  }
  return confusions;
}

Json Final(const proto::RunDetails& run) {
  Json final_model = Json::object();
  final_model["model_hash"] =
      run.rounds().empty()
          ? Json(nullptr)
          : Json(run.rounds(run.rounds_size() - 1).model().id());
  const proto::EvaluationRecord* test = TestOf(run);
  if (test == nullptr) {
    final_model["test"] = nullptr;
    return final_model;
  }
  final_model["tested_model"] = test->model();
  final_model["test"] = Scores(*test);
  final_model["test_examples"] = test->examples();
  final_model["majority"] = {{"label", test->majority_label()},
                             {"accuracy", Number(test->majority_accuracy())}};
  final_model["classes"] = Classes(*test);
  final_model["confusions"] = Confusions(*test);
  return final_model;
}

Json Worker(const proto::WorkerRecord& worker) {
  return {{"id", worker.id()},
          {"device", worker.device()},
          {"units", worker.units()},
          {"examples", worker.examples()},
          {"tokens", worker.tokens()},
          {"busy_s", Number(worker.busy_s())},
          {"input_wait_s", Number(worker.input_wait_s())},
          {"peak_memory", worker.peak_memory_bytes()},
          {"ended", worker.ended()}};
}

Json Rejection(const proto::Rejection& rejection) {
  return {{"reason", rejection.reason()},
          {"worker", rejection.worker()},
          {"shard", rejection.shard()},
          {"round", rejection.round()},
          {"detail", rejection.detail()}};
}

}  // namespace

std::string ReportJson(const proto::RunDetails& run) {
  Json report = {{"run", run.run().id()},
                 {"state", RunState_Name(run.run().state())},
                 {"reason", run.run().reason()},
                 {"numerics_class", run.run().numerics_class()},
                 {"warnings", Json::array()},
                 {"rounds", Json::array()},
                 {"best", Best(run)},
                 {"final", Final(run)},
                 {"frozen", Json::array()},
                 {"workers", Json::array()},
                 {"rejections", Json::array()}};
  for (const auto& warning : run.run().warnings()) {
    report["warnings"].push_back(warning);
  }
  for (const auto& round : run.rounds()) {
    report["rounds"].push_back(Round(run, round));
  }
  for (const auto& frozen : run.run().frozen()) {
    report["frozen"].push_back(
        {{"tensor", frozen.name()}, {"hash", frozen.file().id()}});
  }
  for (const auto& worker : run.workers()) {
    report["workers"].push_back(Worker(worker));
  }
  for (const auto& rejection : run.rejections()) {
    report["rejections"].push_back(Rejection(rejection));
  }
  // Labels and messages may hold bytes that are not UTF-8.
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace meanfield::report
