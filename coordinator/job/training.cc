#include "common/model/training_config.h"
#include "coordinator/job/job.h"

namespace meanfield::job {
namespace {

AdamConfig ToAdam(const proto::Training::Adam& adam, bool decoupled) {
  AdamConfig config;
  config.beta1 = adam.betas(0);
  config.beta2 = adam.betas(1);
  config.eps = adam.eps();
  config.weight_decay = adam.weight_decay();
  config.decoupled_weight_decay = decoupled;
  return config;
}

SgdConfig ToSgd(const proto::Training::Sgd& sgd) {
  return {.momentum = sgd.momentum(),
          .weight_decay = sgd.weight_decay(),
          .nesterov = sgd.nesterov()};
}

Precision ToPrecision(proto::Training::Precision precision) {
  switch (precision) {
    case proto::Training::BF16:
      return Precision::kBF16;
    case proto::Training::F16:
      return Precision::kF16;
    case proto::Training::F32:
      break;
  }
  return Precision::kF32;
}

}  // namespace

TrainingConfig ToTrainingConfig(const proto::Training& training) {
  TrainingConfig config;
  config.batch_size = training.batch_size();
  config.loss = training.loss() == proto::Training::MEAN ? LossReduction::kMean
                                                         : LossReduction::kSum;
  if (training.has_adam()) {
    config.optimizer = ToAdam(training.adam(), /*decoupled=*/false);
  } else if (training.has_adamw()) {
    config.optimizer = ToAdam(training.adamw(), /*decoupled=*/true);
  } else {
    config.optimizer = ToSgd(training.sgd());
  }
  if (training.has_max_grad_norm()) {
    config.max_grad_norm = training.max_grad_norm();
  }
  if (training.has_micro_batch_size()) {
    config.micro_batch_size = training.micro_batch_size();
  }
  if (training.has_decoder_learning_rate()) {
    config.decoder_learning_rate_factor =
        training.decoder_learning_rate() / BaseLearningRate(training);
  }
  config.precision = ToPrecision(training.precision());
  return config;
}

double BaseLearningRate(const proto::Training& training) {
  if (training.has_adam()) return training.adam().learning_rate();
  if (training.has_adamw()) return training.adamw().learning_rate();
  return training.sgd().learning_rate();
}

}  // namespace meanfield::job
