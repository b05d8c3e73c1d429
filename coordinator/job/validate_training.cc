#include "common/base/strings.h"
#include "coordinator/job/validate.h"

namespace meanfield::job {
namespace {

constexpr uint32_t kMaxBatch = 65536;

void ValidateSgd(const proto::Training::Sgd& sgd, const std::string& path,
                 Checks& checks) {
  checks.Number(Member(path, "learning_rate"), sgd.learning_rate(),
                Interval::kPositive);
  checks.Number(Member(path, "momentum"), sgd.momentum(), Interval::kBelowOne);
  checks.Number(Member(path, "weight_decay"), sgd.weight_decay(),
                Interval::kNotNegative);
  if (sgd.nesterov() && sgd.momentum() == 0) {
    checks.Wrong(Member(path, "nesterov"),
                 "\"nesterov\" needs a \"momentum\" above 0");
  }
}

void ValidateAdam(const proto::Training::Adam& adam, const std::string& path,
                  Checks& checks) {
  checks.Number(Member(path, "learning_rate"), adam.learning_rate(),
                Interval::kPositive);
  checks.Number(Member(path, "weight_decay"), adam.weight_decay(),
                Interval::kNotNegative);
  checks.Number(Member(path, "eps"), adam.eps(), Interval::kPositive);
  const std::string betas = Member(path, "betas");
  if (adam.betas_size() != 2 && !checks.positions().Attempted(betas)) {
    checks.Wrong(betas, StrCat("\"betas\" takes two numbers, for example "
                               "[0.9, 0.999], not ",
                               adam.betas_size()));
  }
  for (int i = 0; i < adam.betas_size(); ++i) {
    checks.Number(Element(betas, i), adam.betas(i), Interval::kBelowOne);
  }
}

void ValidateWarmup(const proto::Training::LinearDecay& decay,
                    const std::string& path, Checks& checks) {
  if (!decay.has_warmup_fraction()) return;
  const std::string fraction = Member(path, "warmup_fraction");
  checks.Number(fraction, decay.warmup_fraction(), Interval::kBelowOne);
  if (decay.has_warmup_steps()) {
    checks.WrongField(fraction,
                      "\"warmup_fraction\" beside \"warmup_steps\": both say "
                      "how long the warm-up is; leave one of them out");
  }
}

void ValidateCourse(const proto::Training& training, const std::string& path,
                    Checks& checks) {
  if (training.has_linear_decay()) {
    ValidateWarmup(training.linear_decay(), Member(path, "linear_decay"),
                   checks);
  }
  if (!training.has_reduce_on_plateau()) return;
  const auto& plateau = training.reduce_on_plateau();
  const std::string at = Member(path, "reduce_on_plateau");
  checks.Number(Member(at, "factor"), plateau.factor(), Interval::kFraction);
  checks.Number(Member(at, "min_learning_rate"), plateau.min_learning_rate(),
                Interval::kNotNegative);
}

}  // namespace

void ValidateTraining(const proto::Training& training, const std::string& path,
                      Checks& checks) {
  checks.Whole(Member(path, "batch_size"), training.batch_size(), 1, kMaxBatch);
  if (training.has_sgd()) {
    ValidateSgd(training.sgd(), Member(path, "sgd"), checks);
  } else if (training.has_adam()) {
    ValidateAdam(training.adam(), Member(path, "adam"), checks);
  } else if (training.has_adamw()) {
    ValidateAdam(training.adamw(), Member(path, "adamw"), checks);
  }
  ValidateCourse(training, path, checks);
  if (training.has_micro_batch_size()) {
    const std::string micro = Member(path, "micro_batch_size");
    checks.Whole(micro, training.micro_batch_size(), 1, kMaxBatch);
    if (training.micro_batch_size() > training.batch_size()) {
      checks.Wrong(
          micro, StrCat("\"micro_batch_size\" is ", training.micro_batch_size(),
                        ", more than the batch_size, ", training.batch_size()));
    }
  }
  if (training.has_decoder_learning_rate()) {
    checks.Number(Member(path, "decoder_learning_rate"),
                  training.decoder_learning_rate(), Interval::kPositive);
  }
  if (training.has_max_grad_norm()) {
    checks.Number(Member(path, "max_grad_norm"), training.max_grad_norm(),
                  Interval::kPositive);
  }
}

}  // namespace meanfield::job
