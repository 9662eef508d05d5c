// 2017 paper, 3.1 Aliasing:
//
//   y = x[:2]
//   x.add_(3)
//   y.backward()
//
// y sees the addition, so its history changed, too. The paper rejects the write, by "an additional
// field in the version counter" that counts who shares the data (AliasPolicy::Paper2017). Its
// future work, "lazily initialize a computation history, materializing it only when" it is needed,
// is what the default policy does: the write touches no alias, and y's history is made at its first
// use.
//
// Two liberties: x = leaf * 1, because a leaf that requires grad may not be written at all, and
// backward() gets a gradient, because y has two elements.
#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/report.h"

namespace notape::paper {
namespace {

void as_in_the_paper(std::ostream& out, Report& report) {
  const AliasPolicyGuard policy(AliasPolicy::Paper2017);
  Variable leaf = tensor({1., 2., 3.}, dtype(kFloat64).requires_grad(true));
  Variable x = leaf * 1;
  Variable y = x.slice(0, 0, 2);
  fmt::print(out, "AliasPolicy::Paper2017\n");
  fmt::print(out, "y = x[:2]       x = {}, y = {}, version {}\n", in_one_line(x), in_one_line(y),
             x._version());
  fmt::print(out, "x.add_(3)\n");
  const std::string kind = kind_of_error(out, [&] { x.add_(3); });
  fmt::print(out, "afterwards      x = {}, y = {}, version {}\n", in_one_line(x), in_one_line(y),
             x._version());
  report.add("AliasedInPlace under Paper2017", kind + " under Paper2017");
  report.add_fact("x unchanged",
                  in_one_line(x) == "[1, 2, 3]" && in_one_line(y) == "[1, 2]" && x._version() == 0);
}

void by_default(std::ostream& out, Report& report) {
  Variable leaf = tensor({1., 2., 3.}, dtype(kFloat64).requires_grad(true));
  Variable x = leaf * 1;
  Variable y = x.slice(0, 0, 2);
  fmt::print(out, "\nAliasPolicy::Default\n");
  fmt::print(out, "y = x[:2]       x = {}, y = {}, version {}\n", in_one_line(x), in_one_line(y),
             x._version());
  x.add_(3);
  fmt::print(out, "x.add_(3)       x = {}, y = {}, version {}\n", in_one_line(x), in_one_line(y),
             x._version());
  // A history that missed the write would give the same gradient after an addition, not after this.
  x.mul_(leaf);
  fmt::print(out, "x.mul_(leaf)    x = {}, y = {}, version {}\n", in_one_line(x), in_one_line(y),
             x._version());
  const int64_t after_the_writes = counters().view_nodes;
  y.backward(ones({2}, kFloat64));
  fmt::print(out, "y.backward()    leaf.grad = {}, made for y at this first use: {} node\n",
             in_one_line(leaf.grad()), counters().view_nodes - after_the_writes);
  // y_i = (leaf_i + 3) leaf_i
  report.add("leaf.grad [5, 7, 0] by default",
             "leaf.grad " + in_one_line(leaf.grad()) + " by default");
}

}  // namespace

int aliasing(std::ostream& out) {
  Report report;
  as_in_the_paper(out, report);
  by_default(out, report);
  return report.conclude(out);
}

}  // namespace notape::paper
