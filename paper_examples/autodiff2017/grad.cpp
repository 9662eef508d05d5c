// 2017 paper, 2 "Interface": "the function torch.autograd.grad(f(x, y, z), (x, y)) computes the
// derivative of f w.r.t. x and y only (no gradient is computed for z). Unlike the Chainer-style
// API, this call doesn't mutate .grad attributes; instead, it returns a tuple".
//
// f = x y + sin(x) exp(z). An observer writes down which derivatives run.
#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/passing_observer.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

Tensor f(const Tensor& x, const Tensor& y, const Tensor& z) { return x * y + x.sin() * z.exp(); }

/// While it lives, collects the names of the nodes that run, in front of whoever observes.
class RunNodes : public PassingObserver {
 public:
  void node_begin(const Node& node) noexcept override {
    names.emplace_back(node.name());
    PassingObserver::node_begin(node);
  }

  std::vector<std::string> names;
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

int grad(std::ostream& out) {
  Report report;
  const TensorOptions leaf = dtype(kFloat64).requires_grad(true);
  Variable x = tensor({0.5}, leaf), y = tensor({2.}, leaf), z = tensor({1.}, leaf);

  fmt::print(out, "f(x, y, z) = x y + sin(x) exp(z) at x = 0.5, y = 2, z = 1\n");
  RunNodes run;
  const variable_list gradients = autograd::grad({f(x, y, z)}, {x, y});
  fmt::print(out, "\ngrad(f(x, y, z), (x, y))\n");
  fmt::print(out, "    returns        {} and {}\n", in_one_line(gradients[0]),
             in_one_line(gradients[1]));
  fmt::print(out, "    runs           {}\n", joined(run.names));
  fmt::print(out, "    x.grad, y.grad, z.grad are {}, {}, {}\n", in_one_line(x.grad()),
             in_one_line(y.grad()), in_one_line(z.grad()));

  const double expected_x = 2 + std::cos(0.5) * std::exp(1.0), expected_y = 0.5;
  const bool right = std::abs(gradients[0].item() - expected_x) < 1e-15 * expected_x &&
                     gradients[1].item() == expected_y;
  report.add_fact("gradients y + cos(x) exp(z) and x", right);
  report.add_fact("no .grad set",
                  !x.grad().defined() && !y.grad().defined() && !z.grad().defined());
  report.add_fact("exp(z) not differentiated", std::ranges::count(run.names, "ExpBackward0") == 0);

  run.names.clear();
  f(x, y, z).backward();
  fmt::print(out, "\nf(x, y, z).backward()\n    runs           {}\n", joined(run.names));
  fmt::print(out, "    x.grad, y.grad, z.grad are {}, {}, {}\n", in_one_line(x.grad()),
             in_one_line(y.grad()), in_one_line(z.grad()));
  report.add_fact("exp(z) differentiated by backward()",
                  std::ranges::count(run.names, "ExpBackward0") == 1);

  fmt::print(out, "\ngrad(x * y, (x, z)) raises\n");
  report.add("UnusedInput for z in x * y", kind_of_error(out, [&] {
                                             autograd::grad({x * y}, {x, z});
                                           }) + " for z in x * y");
  return report.conclude(out);
}

}  // namespace notape::paper
