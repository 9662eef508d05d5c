// 2019 paper, 4.1: "This 'everything is just a program' philosophy is not limited to just the
// models, and applies to optimizers and data loaders as well"; 4.2: a data set has "the indexing
// operator" and "the length operator", which makes it behave "like (possibly lazy) lists", and
// "users are free to replace any component".
//
// Here all three are the user's: an optimizer, a data set that no memory could hold, and a loader
// that fetches batches on several threads.
#include <cmath>
#include <concepts>
#include <deque>
#include <future>

#include "ops/ops.h"
#include "paper_examples/nn/activation.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/nn/sequential.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/example_options.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

/// Steps of one size along the sign of a moving average. (X. Chen et al., "Symbolic discovery of
/// optimization algorithms", 2023)
class Lion {
 public:
  Lion(std::vector<Tensor> parameters, double rate) : parameters_(parameters), rate_(rate) {
    for (const Tensor& p : parameters_) averages_.push_back(zeros_like(p.detach()));
  }
  void step() {
    const NoGradGuard no_grad;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const Tensor& gradient = parameters_[i].grad();
      parameters_[i].add_(sign(0.9 * averages_[i] + 0.1 * gradient), -rate_);
      averages_[i].mul_(0.99).add_(gradient, 0.01);
      parameters_[i].mutable_grad().reset();
    }
  }

 private:
  std::vector<Tensor> parameters_, averages_;
  double rate_;
};

struct Example {
  Tensor input, target;
};

template <typename T>
concept LazyList = requires(const T& list, int64_t i) {
  { list.get(i) } -> std::same_as<Example>;
  { list.size() } -> std::same_as<int64_t>;
};

/// Points of two spirals, made when they are asked for: example i is the same every time.
struct Spirals {
  uint64_t seed;
  int64_t size() const { return int64_t{1} << 40; }
  Example get(int64_t i) const {
    const auto words = philox(seed, static_cast<uint64_t>(i));
    const double turn = 2 * std::sqrt(words[0] * 0x1p-32), side = words[1] & 1 ? 1 : -1;
    const double angle = 3.14159 * turn;
    return {tensor({side * turn * std::cos(angle), side * turn * std::sin(angle)}, kFloat32),
            tensor(static_cast<int64_t>(words[1] & 1))};
  }
};

/// Random batches, fetched by `workers` threads ahead of time, in an order that does not depend on
/// them.
template <LazyList List>
class Loader {
 public:
  Loader(const List& list, int64_t batch, std::size_t workers)
      : list_(list), batch_(batch), workers_(workers) {}
  Example next() {
    while (coming_.size() < workers_) {
      const Tensor numbers = randint(list_.size(), {batch_}, generator_);
      coming_.push_back(std::async(std::launch::async, [this, numbers] {
        TensorList inputs, targets;
        for (int64_t i = 0; i < batch_; ++i) {
          const Example example = list_.get(numbers[i].item<int64_t>());
          inputs.push_back(example.input);
          targets.push_back(example.target);
        }
        return Example{stack(inputs), stack(targets)};
      }));
    }
    Example example = coming_.front().get();
    coming_.pop_front();
    return example;
  }

 private:
  const List& list_;
  int64_t batch_;
  std::size_t workers_;
  Generator generator_ = Generator(7);
  std::deque<std::future<Example>> coming_;
};

double accuracy(const nn::Sequential& net, const Example& examples) {
  const NoGradGuard no_grad;
  return (net(examples.input).argmax(1) == examples.target).to(kFloat64).mean().item();
}

void compare_workers(std::ostream& out, Report& report, const Spirals& spirals) {
  Loader one(spirals, 64, 1), three(spirals, 64, 3);
  int64_t same = 0;
  for (int i = 0; i < 20; ++i) {
    const Example a = one.next(), b = three.next();
    same += a.input.equal(b.input) && a.target.equal(b.target);
  }
  fmt::print(out, "20 batches by 1 thread and by 3: {} are the same\n", same);
  report.add("20 of 20 batches the same by 1 and 3 threads",
             fmt::format("{} of 20 batches the same by 1 and 3 threads", same));
}

}  // namespace

int components(std::ostream& out, const ExampleOptions& options) {
  Report report;
  manual_seed(options.seed);
  const Spirals spirals{options.seed};
  fmt::print(out, "A list of {} examples; number {} is {}, class {}\n", spirals.size(),
             spirals.size() - 1, in_one_line(spirals.get(spirals.size() - 1).input),
             spirals.get(spirals.size() - 1).target.item<int64_t>());
  compare_workers(out, report, spirals);

  const nn::Sequential net(nn::Linear(2, 64), nn::Tanh(), nn::Linear(64, 64), nn::Tanh(),
                           nn::Linear(64, 2));
  Lion optimizer(net->parameters(), 1e-3);
  Loader loader(spirals, 64, 2);
  Loader others(spirals, 2000, 1);
  const Example unseen = others.next();  // as good as: of 2^40 examples hardly one is drawn twice
  const bool is_full = options.size != ExampleSize::Quick;
  const int64_t steps = is_full ? 2000 : 100;
  fmt::print(out,
             "\nA net 2-64-64-2 learns which spiral a point is on:\n    steps    loss    right\n");
  double right = 0;
  for (int64_t step = 1; step <= steps; ++step) {
    const Example batch = loader.next();
    const Tensor loss = cross_entropy(net(batch.input), batch.target);
    loss.backward();
    optimizer.step();
    if (step % (steps / 5) != 0) continue;
    right = accuracy(net, unseen);
    fmt::print(out, "    {:<8} {:.3f}   {:>5.1f} %\n", step, loss.item(), 100 * right);
    out.flush();
  }
  const int percent = is_full ? 97 : 55;
  report.add(fmt::format(">= {} % of unseen points right", percent),
             fmt::format("{:.1f} % of unseen points right", 100 * right), 100 * right >= percent);
  return report.conclude(out);
}

}  // namespace notape::paper
