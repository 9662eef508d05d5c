// Metalearning, one of the uses that the 2017 paper names for gradients of gradients and for hooks:
// MAML (C. Finn, P. Abbeel and S. Levine, 2017) looks for weights from which one step of gradient
// descent learns a new task from ten examples. The loss after that step is differentiated with
// respect to the weights before it, so the derivative goes through a derivative.
//
// Tasks are sine waves of random amplitude and phase, as in Finn et al., 5.1.
#include <cmath>

#include "ops/ops.h"
#include "paper_examples/optim/adam.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/example_options.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

constexpr double kInnerRate = 0.01, kPi = 3.14159265358979323846;
constexpr int64_t kShots = 10, kHidden = 40;

/// A net 1-40-40-1 with ReLU as a function of its weights: they may be the result of a step.
Tensor net(const TensorList& w, const Tensor& x) {
  return addmm(w[5], relu(addmm(w[3], relu(addmm(w[1], x, w[0])), w[2])), w[4]);
}

TensorList first_weights() {
  const auto layer = [](int64_t from, int64_t to) {
    return randn({from, to}, kFloat64) * std::sqrt(2.0 / static_cast<double>(from));
  };
  TensorList weights{layer(1, kHidden),       zeros({kHidden}, kFloat64),
                     layer(kHidden, kHidden), zeros({kHidden}, kFloat64),
                     layer(kHidden, 1),       zeros({1}, kFloat64)};
  for (const Tensor& weight : weights) weight.requires_grad_(true);
  return weights;
}

struct Task {
  Tensor x, y, new_x, new_y;  // (kShots, 1) each: what is learned from, what is asked
};

Task draw_task() {
  const double amplitude = 0.1 + 4.9 * rand({}, kFloat64).item();
  const double phase = kPi * rand({}, kFloat64).item();
  const auto points = [] { return rand({kShots, 1}, kFloat64) * 10 - 5; };
  const auto wave = [&](const Tensor& x) { return amplitude * sin(x - phase); };
  const Tensor x = points(), new_x = points();
  return {x, wave(x), new_x, wave(new_x)};
}

enum class Order { First, Second };

/// One step of gradient descent. With Order::First the step itself is a constant.
TensorList adapted(const TensorList& weights, const Task& task, Order order) {
  const variable_list gradients =
      autograd::grad({mse_loss(net(weights, task.x), task.y)}, weights, {}, {},
                     /*create_graph=*/order == Order::Second);
  TensorList result;
  for (std::size_t i = 0; i < weights.size(); ++i)
    result.push_back(weights[i] - kInnerRate * gradients[i]);
  return result;
}

Tensor loss_after_step(const TensorList& weights, const Task& task, Order order = Order::Second) {
  return mse_loss(net(adapted(weights, task, order), task.new_x), task.new_y);
}

/// The derivative along a direction, by central differences.
double slope(const TensorList& weights, const TensorList& direction, const Task& task) {
  constexpr double h = 1e-6;
  const auto moved = [&](double by) {
    TensorList result;
    for (std::size_t i = 0; i < weights.size(); ++i)
      result.push_back((weights[i].detach() + by * direction[i]).requires_grad_(true));
    return loss_after_step(result, task).item();
  };
  return (moved(h) - moved(-h)) / (2 * h);
}

double dot(const TensorList& a, const TensorList& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] * b[i]).sum().item();
  return sum;
}

void check_gradient(std::ostream& out, Report& report, const TensorList& weights) {
  const Task task = draw_task();
  TensorList direction;
  for (const Tensor& weight : weights) direction.push_back(randn_like(weight.detach()));
  const double numeric = slope(weights, direction, task);
  const auto along = [&](Order order) {
    return dot(autograd::grad({loss_after_step(weights, task, order)}, weights), direction);
  };
  const double second = along(Order::Second), first = along(Order::First);
  fmt::print(out,
             "The loss after a step of gradient descent, along a random direction of the weights "
             "before it:\n"
             "    through the step          {:>12.8f}\n"
             "    finite differences        {:>12.8f}\n"
             "    the step as a constant    {:>12.8f}\n",
             second, numeric, first);
  const double off = std::abs(second / numeric - 1);
  report.add("second order to 1e-6 of finite differences",
             fmt::format("second order to {:.2g} of finite differences", off), off <= 1e-6);
  report.add_fact("first order is another number",
                  std::abs(first - numeric) > 100 * std::abs(second - numeric));
}

/// Mean over `count` tasks of the loss on the new points, before and after a step on the others.
std::pair<double, double> losses(const TensorList& weights, int64_t count) {
  double before = 0, after = 0;
  for (int64_t i = 0; i < count; ++i) {
    const Task task = draw_task();
    before += mse_loss(net(weights, task.new_x), task.new_y).item();
    after += loss_after_step(weights, task, Order::First).item();
  }
  return {before / static_cast<double>(count), after / static_cast<double>(count)};
}

}  // namespace

int maml(std::ostream& out, const ExampleOptions& options) {
  Report report;
  manual_seed(options.seed);
  const TensorList weights = first_weights();
  check_gradient(out, report, weights);

  const bool is_full = options.size != ExampleSize::Quick;
  const int64_t iterations = is_full ? 6000 : 100, tasks = 25;
  optim::Adam optimizer(weights, optim::AdamOptions(2e-3));
  fmt::print(out,
             "\nMetalearning, {} tasks a step; mean squared errors over 200 new tasks:\n"
             "    steps    before adaptation   after one step on {} points\n",
             tasks, kShots);
  const auto show = [&](int64_t steps) {
    const auto [before, after] = losses(weights, 200);
    fmt::print(out, "    {:<8} {:>17.3f}   {:>27.3f}\n", steps, before, after);
    out.flush();
    return std::pair(before, after);
  };
  const auto at_first = show(0);
  auto at_last = at_first;
  for (int64_t step = 1; step <= iterations; ++step) {
    optimizer.zero_grad();
    for (int64_t i = 0; i < tasks; ++i)
      (loss_after_step(weights, draw_task()) / static_cast<double>(tasks)).backward();
    optimizer.step();
    if (step % (iterations / 5) == 0) at_last = show(step);
  }
  report.add("less than half the error after adaptation at first",
             fmt::format("{:.3f} of the error after adaptation at first",
                         at_last.second / at_first.second),
             at_last.second < at_first.second / 2);
  if (is_full) {
    const double left = at_last.second / at_last.first;
    report.add("one step leaves at most 0.6 of the error",
               fmt::format("one step leaves {:.2f} of the error", left), left <= 0.6);
  }
  return report.conclude(out);
}

}  // namespace notape::paper
