#include "common/model/training_config.h"
#include "coordinator/job/job.h"
#include "gtest/gtest.h"

namespace meanfield::job {
namespace {

TEST(TrainingConfig, OfSgd) {
  proto::Training training;
  training.set_batch_size(8);
  training.set_loss(proto::Training::MEAN);
  training.mutable_sgd()->set_learning_rate(0.5);
  training.mutable_sgd()->set_momentum(0.9);
  training.mutable_sgd()->set_nesterov(true);

  TrainingConfig expected;
  expected.batch_size = 8;
  expected.loss = LossReduction::kMean;
  expected.optimizer = SgdConfig{.momentum = 0.9, .nesterov = true};
  EXPECT_EQ(ToTrainingConfig(training), expected);
  EXPECT_EQ(BaseLearningRate(training), 0.5);
}

TEST(TrainingConfig, OfSmallPassesOnAGpu) {
  proto::Training training;
  training.mutable_sgd()->set_learning_rate(0.5);
  training.set_micro_batch_size(4);
  training.set_decoder_learning_rate(2);
  training.set_precision(proto::Training::BF16);

  TrainingConfig expected;
  expected.micro_batch_size = 4;
  expected.decoder_learning_rate_factor = 4;
  expected.precision = Precision::kBF16;
  EXPECT_EQ(ToTrainingConfig(training), expected);
  training.set_precision(proto::Training::F16);
  EXPECT_EQ(ToTrainingConfig(training).precision, Precision::kF16);
}

TEST(TrainingConfig, OfAdamW) {
  proto::Training training;
  training.set_max_grad_norm(5);
  training.mutable_adamw()->set_learning_rate(0.25);
  training.mutable_adamw()->set_weight_decay(0.1);
  training.mutable_adamw()->add_betas(0.8);
  training.mutable_adamw()->add_betas(0.95);

  TrainingConfig expected;
  expected.max_grad_norm = 5;
  expected.optimizer = AdamConfig{.beta1 = 0.8,
                                  .beta2 = 0.95,
                                  .weight_decay = 0.1,
                                  .decoupled_weight_decay = true};
  EXPECT_EQ(ToTrainingConfig(training), expected);
  EXPECT_EQ(BaseLearningRate(training), 0.25);
}

}  // namespace
}  // namespace meanfield::job
