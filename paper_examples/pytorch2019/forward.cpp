// 2019 paper, 4.3: reverse mode "computes the gradient of a scalar output with respect to a
// multivariate input. Differentiating functions with more outputs than inputs is more efficiently
// executed using forward-mode automatic differentiation".
//
// The Jacobian of f(x) = tanh(B tanh(A x)), n inputs and m outputs, takes m backward passes or n
// forward ones.
#include <algorithm>
#include <chrono>
#include <limits>

#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/example_options.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

using autograd::functional::Strategy;

struct Measured {
  Tensor jacobian;
  int64_t passes = 0;
  double milliseconds = 0;
};

class TwoLayers {
 public:
  TwoLayers(int64_t inputs, int64_t outputs)
      : a_(randn({kHidden, inputs}, kFloat64)), b_(randn({outputs, kHidden}, kFloat64)) {}

  /// Counts what runs: f itself for forward mode, and derivatives of its output for reverse mode.
  Measured jacobian(const Tensor& x, Strategy strategy) const {
    Measured result;
    const auto f = [&](const Tensor& input) {
      Tensor y = tanh(mv(b_, tanh(mv(a_, input)))) * kScale;
      if (strategy == Strategy::Forward)
        ++result.passes;
      else
        y.register_hook([&](const Tensor&) { ++result.passes; });
      return y;
    };
    const auto start = std::chrono::steady_clock::now();
    result.jacobian = autograd::functional::jacobian(f, x, {.strategy = strategy});
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    result.milliseconds = 1e3 * elapsed.count();
    return result;
  }

 private:
  static constexpr int64_t kHidden = 64;
  static constexpr double kScale = 0.5;
  Tensor a_, b_;
};

/// The fastest of several: others use the machine, too.
Measured fastest(const TwoLayers& f, const Tensor& x, Strategy strategy) {
  Measured best;
  best.milliseconds = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i)
    if (Measured one = f.jacobian(x, strategy); one.milliseconds < best.milliseconds)
      best = std::move(one);
  return best;
}

}  // namespace

int forward(std::ostream& out, const ExampleOptions& options) {
  Report report;
  manual_seed(options.seed);
  fmt::print(out,
             "Jacobian of tanh(B tanh(A x)):\n"
             "    inputs  outputs    reverse            forward            forward's part\n");
  bool all_agree = true, passes_as_promised = true;
  double first_ratio = 0, last_ratio = 0;
  for (int64_t n = 256, m = 2; n >= 2; n /= 2, m *= 2) {
    const TwoLayers f(n, m);
    const Tensor x = randn({n}, kFloat64);
    const Measured reverse = fastest(f, x, Strategy::Reverse);
    const Measured forward = fastest(f, x, Strategy::Forward);
    last_ratio = forward.milliseconds / reverse.milliseconds;
    if (first_ratio == 0) first_ratio = last_ratio;
    all_agree = all_agree && allclose(forward.jacobian, reverse.jacobian, 1e-12, 1e-14);
    passes_as_promised = passes_as_promised && reverse.passes == m && forward.passes == n;
    fmt::print(out,
               "    {:>6} {:>8}    {:>3} passes {:>5.2f} ms  {:>3} passes {:>5.2f} ms  {:>10.2f}\n",
               n, m, reverse.passes, reverse.milliseconds, forward.passes, forward.milliseconds,
               last_ratio);
  }
  report.add_fact("one pass for each output or input", passes_as_promised);
  report.add_fact("the same Jacobians", all_agree);
  report.add("2 outputs: reverse 5 times as fast",
             fmt::format("2 outputs: reverse {:.1f} times as fast", first_ratio), first_ratio >= 5);
  report.add("2 inputs: forward 5 times as fast",
             fmt::format("2 inputs: forward {:.1f} times as fast", 1 / last_ratio),
             last_ratio <= 0.2);
  return report.conclude(out);
}

}  // namespace notape::paper
