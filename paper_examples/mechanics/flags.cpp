// Autograd mechanics note, "Excluding subgraphs from backward"; 2017 paper, 2 "Variable flags":
//
//   >>> x = Variable(torch.randn(5, 5))
//   >>> y = Variable(torch.randn(5, 5))
//   >>> z = Variable(torch.randn(5, 5), requires_grad=True)
//   >>> a = x + y
//   >>> a.requires_grad
//   >>> b = a + z
//   >>> b.requires_grad
//
// "If any input Variable is volatile, the output is volatile. Otherwise, if any input Variable
// requires grad, the output requires grad. Additionally, having volatile set implies that 'requires
// grad' is unset. If an operation wouldn't require grad, the derivative closure is not even
// instantiated."
#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

void one_is_enough(std::ostream& out, Report& report) {
  Variable x = randn({5, 5});
  Variable y = randn({5, 5});
  Variable z = randn({5, 5}, requires_grad(true));
  Variable a = x + y;
  Variable b = a + z;
  fmt::print(out, "Only z requires grad:\n");
  fmt::print(out, "    a = x + y    a.requires_grad() is {}\n", a.requires_grad());
  fmt::print(out, "    b = a + z    b.requires_grad() is {}\n", b.requires_grad());
  report.add("a false, b true", fmt::format("a {}, b {}", a.requires_grad(), b.requires_grad()));
}

const char* kind_of(const Variable& variable) {
  if (variable.is_volatile()) return "volatile";
  return variable.requires_grad() ? "requires grad" : "plain";
}

/// Prints the kind of x + y for every kind of x and y; a node must exist only where it is needed.
void truth_table(std::ostream& out, Report& report) {
  const Tensor data = ones({2});
  const Variable kinds[] = {make_variable(data), make_variable(data, true),
                            make_variable(data, false, true)};
  fmt::print(out, "\nx + y, where x is (down) and y is (across)\n                 ");
  for (const Variable& y : kinds) fmt::print(out, "  {:>13}", kind_of(y));
  bool as_promised = true;
  for (const Variable& x : kinds) {
    fmt::print(out, "\n    {:<13}", kind_of(x));
    for (const Variable& y : kinds) {
      const int64_t nodes_before = counters().nodes_created;
      const Variable sum = x + y;
      const int64_t nodes = counters().nodes_created - nodes_before;
      fmt::print(out, "  {:>13}", kind_of(sum));

      const bool any_volatile = x.is_volatile() || y.is_volatile();
      const bool needed = !any_volatile && (x.requires_grad() || y.requires_grad());
      as_promised = as_promised && sum.is_volatile() == any_volatile &&
                    sum.requires_grad() == needed && (nodes > 0) == needed;
    }
  }
  fmt::print(out, "\n");
  report.add_fact("all 9 sums as the paper says", as_promised);
}

/// "It's enough to create a volatile input": the parameters keep requiring grad.
void volatile_input(std::ostream& out, Report& report) {
  nn::Linear model(8, 3);
  const Tensor data = randn({4, 8});
  fmt::print(out, "\nThe same model, whose parameters require grad, on\n");
  for (const bool is_volatile : {false, true}) {
    const Counters before = counters();
    const Variable output = model(make_variable(data, false, is_volatile)).relu().square();
    const Counters after = counters();
    const int64_t nodes = after.nodes_created - before.nodes_created;
    const int64_t bytes = after.saved_bytes - before.saved_bytes;
    fmt::print(out, "    {:<16} output {}, {} nodes, {} bytes saved\n",
               is_volatile ? "volatile input:" : "plain input:", kind_of(output), nodes, bytes);
    if (is_volatile)
      report.add("volatile input saves 0 bytes in 0 nodes",
                 fmt::format("volatile input saves {} bytes in {} nodes", bytes, nodes));
    else
      report.add_fact("plain input records a graph", nodes > 0 && bytes > 0);
  }
}

}  // namespace

int flags(std::ostream& out) {
  Report report;
  one_is_enough(out, report);
  truth_table(out, report);
  volatile_input(out, report);
  return report.conclude(out);
}

}  // namespace notape::paper
