#ifndef MEANFIELD_COORDINATOR_DRIVER_PREDICTION_H_
#define MEANFIELD_COORDINATOR_DRIVER_PREDICTION_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/driver/activity.h"
#include "coordinator/driver/context.h"
#include "coordinator/driver/phase.h"
#include "coordinator/driver/predict_request.h"

namespace meanfield::driver {

// The name that predictions go by where runs have theirs.
inline constexpr char kPredictionFolder[] = "predictions";

// One PREDICT unit per data blob, on whatever worker is there. Actor thread.
class Prediction : public Activity,
                   public std::enable_shared_from_this<Prediction> {
 public:
  // Paths of the outputs in order of `data`; they stay until the coordinator
  // ends.
  using Outputs = absl::StatusOr<std::vector<std::string>>;

  Prediction(Context& context, PredictRequest request,
             std::function<void(Outputs)> reply);

  void Start(std::function<void()> done) override;
  void Stop(const absl::Status& reason) override;
  void OnWorkerJoined(const Worker&) override {}
  void OnWorkerLost(const std::string&, const std::string&) override {}

 private:
  void StartPhase(const std::string& folder);
  void End(const absl::Status& status);
  std::vector<Phase::Unit> Units() const;

  Context& context_;
  const PredictRequest request_;
  std::function<void(Outputs)> reply_;
  std::function<void()> done_;  // null until started
  bool ended_ = false;
  // By data blob; written in the background until the phase ends.
  std::shared_ptr<std::vector<std::string>> paths_;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_PREDICTION_H_
