// Autograd mechanics note, "In-place operations on Variables"; 2017 paper, 3.1: "an in-place
// operation is equivalent to its corresponding non-inplace operation, except that the Variable
// which is modified in-place has its computation history 'rebased' to point to the derivative of
// the in-place operator, instead of its previous Function."
//
// The note's limit: Variables "don't support log_. Its gradient formula requires the original
// input", which log_ overwrites. AliasPolicy::Paper2017 refuses it; by default it keeps a private
// copy of that input, the one copy that in-place operations make. The note goes on: "while it is
// possible to recreate it by computing the inverse operation, it is numerically unstable".
#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

/// "AddBackward0 -> MulBackward0 -> AccumulateGrad": from `node` along the first edges.
std::string history(NodeRef node) {
  std::string text = node->name();
  while (node->num_edges() > 0 && node->next_edge(0)) {
    node = node->next_edge(0).function;
    text += fmt::format(" -> {}", node->name());
  }
  return text;
}

void rebase(std::ostream& out, Report& report) {
  Variable x = tensor({1., 2.}, dtype(kFloat64).requires_grad(true));
  Variable y = x * 2;
  const NodeRef before = y.grad_fn();
  const std::string history_before = history(before);
  fmt::print(out, "y = x * 2     {}\n", history_before);
  y.tanh_();
  fmt::print(out, "y.tanh_()     {}\n", history(y.grad_fn()));
  y.backward(ones({2}, kFloat64));
  const Tensor gradient = x.grad();

  // Purely functional: the old node is as it was, the new one points to it.
  report.add_fact("rebased onto the old node", y.grad_fn()->next_edge(0).function == before &&
                                                   history(before) == history_before);

  x.mutable_grad().reset();
  (x * 2).tanh().backward(ones({2}, kFloat64));
  fmt::print(out, "\nx.grad = {} in place, {} out of place\n", in_one_line(gradient),
             in_one_line(x.grad()));
  report.add_fact("the out-of-place gradient", gradient.equal(x.grad()));
}

void log_of_the_overwritten(std::ostream& out, Report& report) {
  Variable leaf = tensor({1., 2., 4.}, dtype(kFloat64).requires_grad(true));
  {
    const AliasPolicyGuard policy(AliasPolicy::Paper2017);
    Variable x = leaf * 1;
    fmt::print(out, "\nx.log_() under AliasPolicy::Paper2017\n");
    const std::string kind = kind_of_error(out, [&] { x.log_(); });
    report.add("log_ OverwrittenInput under Paper2017", "log_ " + kind + " under Paper2017");
  }
  Variable x = leaf * 1;
  const int64_t copies_before = counters().self_copies;
  x.log_();
  const int64_t copies = counters().self_copies - copies_before;
  x.backward(ones({3}, kFloat64));
  fmt::print(out, "x.log_() by default\n    x = {}, leaf.grad = {}, private copies: {}\n",
             in_one_line(x), in_one_line(leaf.grad()), copies);
  report.add("by default leaf.grad [1, 0.5, 0.25] with 1 copy",
             fmt::format("by default leaf.grad {} with {} copy", in_one_line(leaf.grad()), copies));
}

/// How far 1 / exp(log(x)) is from 1 / x, in units of the last place of x's type: log x is rounded
/// to its own last place, by which exp multiplies, so that |log x| of them are lost.
double units_lost(double value, ScalarType dtype) {
  const Tensor x = full({}, value, dtype);
  const double direct = (1 / x).to(kFloat64).item();
  const double inverted = (1 / x.log().exp()).to(kFloat64).item();
  const double epsilon = std::ldexp(1, 1 - element_type(dtype).digits);
  return std::abs(inverted / direct - 1) / epsilon;
}

void invert_log(std::ostream& out, Report& report) {
  fmt::print(out,
             "\nThe derivative of log_ from exp of the result instead of the input, off by\n"
             "    x around      float32         float64\n");
  double near_one = 0, far = 0;
  for (const int exponent : {0, 4, 16, 36, 300}) {
    double single = 0, twice = 0;
    for (int i = 0; i < 50; ++i) {
      const double x = (1 + 0.017 * i) * std::pow(10, exponent);
      if (exponent < 37) single = std::max(single, units_lost(x, kFloat32));
      twice = std::max(twice, units_lost(x, kFloat64));
    }
    if (exponent == 0) near_one = std::max(single, twice);
    if (exponent == 36) far = std::min(single, twice);
    fmt::print(out, "    1e{:<11} {:<15} {:.0f} units\n", exponent,
               exponent < 37 ? fmt::format("{:.0f} units", single) : "", twice);
  }
  report.add("inverted at most 2 units off at 1, more than 20 at 1e36",
             fmt::format("inverted {:.0f} units off at 1, {:.0f} at 1e36", near_one, far),
             near_one <= 2 && far > 20);
}

}  // namespace

int inplace(std::ostream& out) {
  Report report;
  rebase(out, report);
  log_of_the_overwritten(out, report);
  invert_log(out, report);
  return report.conclude(out);
}

}  // namespace notape::paper
