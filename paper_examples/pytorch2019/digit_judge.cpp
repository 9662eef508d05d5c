#include "paper_examples/pytorch2019/digit_judge.h"

#include <cmath>

#include "ops/ops.h"
#include "paper_examples/nn/activation.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/optim/adam.h"

namespace notape::paper {

DigitJudge::DigitJudge(const data::Dataset& digits, int64_t epochs)
    : net_(nn::Linear(64, 128), nn::ReLU(), nn::Linear(128, 10)) {
  optim::Adam optimizer(net_->parameters());
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    for (const auto& [images, classes] : data::ShuffledBatches(digits, 64)) {
      optimizer.zero_grad();
      cross_entropy(net_(images + 0.1 * randn_like(images)), classes).backward();
      optimizer.step();
    }
  }
}

double DigitJudge::accuracy(const data::Dataset& digits) const {
  const NoGradGuard no_grad;
  return (net_(digits.data).argmax(1) == digits.target).to(kFloat64).mean().item();
}

Score DigitJudge::score(const Tensor& images) const {
  const NoGradGuard no_grad;
  const Tensor log_p = log_softmax(net_(images).to(kFloat64), 1);  // (N, 10)
  const Tensor p = log_p.exp();
  const Tensor seen_as = p.mean(0, true);  // (1, 10)
  const double divergence = (p * (log_p - seen_as.log())).sum(1).mean().item();
  return {.inception = std::exp(divergence),
          .smallest_share = one_hot(p.argmax(1), 10).to(kFloat64).mean(0).min().item()};
}

}  // namespace notape::paper
