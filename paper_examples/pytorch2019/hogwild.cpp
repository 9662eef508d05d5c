// Hogwild (2019 paper, 5.4; F. Niu, B. Recht, C. Re and S. J. Wright, 2011): several processes
// train one model in shared memory, each with its own examples, and add their steps to it without
// locks. Some steps are computed from values that are half old, and some are lost; that costs
// little.
//
// Softmax regression on the digits of data/README.md, a convex problem.
#include <chrono>
#include <cmath>

#include "ops/ops.h"
#include "paper_examples/data/digits.h"
#include "paper_examples/data/find_data.h"
#include "paper_examples/multiprocessing/shared_tensor.h"
#include "paper_examples/multiprocessing/spawn.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/example_options.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

using multiprocessing::SharedTensor;

constexpr int64_t kBatch = 16;
constexpr double kLearningRate = 0.05;

/// w: (65, 10), the last row the bias. Mean over the examples, and a little weight decay, without
/// which the best w would be infinite.
Tensor loss_of(const Tensor& w, const data::Dataset& digits) {
  const Tensor logits = addmm(w[64], digits.data, w.narrow(0, 0, 64));  // (N, 10)
  return cross_entropy(logits, digits.target) + 1e-3 * w.square().sum();
}

/// `steps` steps on random batches of `digits`. The gradient is for w as it was read; w is written
/// in place, whatever others have written meanwhile.
void train(const Tensor& shared_w, const data::Dataset& digits, int64_t steps) {
  for (int64_t step = 0; step < steps; ++step) {
    const Variable w = shared_w.clone().requires_grad_(true);
    const data::Dataset batch = digits.at(randint(digits.size(), {kBatch}));
    const Tensor gradient = autograd::grad({loss_of(w, batch)}, {w})[0];
    shared_w.add_(gradient, -kLearningRate);
  }
}

double full_loss(const Tensor& w, const data::Dataset& digits) {
  const NoGradGuard no_grad;
  return loss_of(w, digits).item();
}

struct Run {
  double loss, seconds;
};

/// All steps together are as many as one process makes alone.
Run train_in(int processes, const data::Dataset& digits, int64_t steps, uint64_t seed) {
  const SharedTensor w = SharedTensor::zeros({65, 10});
  const auto start = std::chrono::steady_clock::now();
  multiprocessing::spawn(processes, [&](int rank) {
    manual_seed(seed + static_cast<uint64_t>(rank));
    train(w.tensor(), digits, steps / processes);
  });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {full_loss(w.tensor(), digits), elapsed.count()};
}

}  // namespace

int hogwild(std::ostream& out, const ExampleOptions& options) {
  Report report;
  data::Dataset digits = data::read_digits(data::find_data("digits.csv.gz"));
  digits.data = digits.data.reshape({-1, 64});
  const int64_t steps = options.size != ExampleSize::Quick ? 40'000 : 8'000;

  fmt::print(out,
             "Softmax regression on {} digits, {} steps on {} of them each, rate {}:\n"
             "    processes   loss      seconds\n",
             digits.size(), steps, kBatch, kLearningRate);
  const auto show = [&](int processes, const Run& run) {
    fmt::print(out, "    {:<11} {:.5f}   {:.2f}\n", processes, run.loss, run.seconds);
    out.flush();
  };
  const double at_first = full_loss(zeros({65, 10}), digits);
  fmt::print(out, "    {:<11} {:.5f}\n", "none", at_first);
  const Run serial = train_in(1, digits, steps, options.seed);
  show(1, serial);
  const Run hogwild = train_in(4, digits, steps, options.seed);
  show(4, hogwild);

  const double excess = hogwild.loss / serial.loss - 1;
  report.add("4 processes within 2 % of the loss of 1",
             fmt::format("4 processes within {:.2f} % of the loss of 1", 100 * std::abs(excess)),
             std::abs(excess) <= 0.02);
  report.add_fact("less than a quarter of the loss at first", serial.loss < at_first / 4);
  return report.conclude(out);
}

}  // namespace notape::paper
