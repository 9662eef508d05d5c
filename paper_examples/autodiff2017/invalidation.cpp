// 2017 paper, 3.1 Invalidation:
//
//   y = x.tanh()
//   y.add_(3)
//   y.backward()
//
// tanh' = 1 - tanh^2, so tanh saved its result; add_ then overwrote it. "Making a copy of y when
// saving it would be inefficient", so both statements succeed and backward() fails, by comparing
// version counters. x has one element here: otherwise backward() would ask for a gradient first.
#include <cmath>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "paper_examples/programs.h"
#include "paper_examples/support/report.h"

namespace notape::paper {

int invalidation(std::ostream& out) {
  Report report;
  Variable x = tensor({0.5}, dtype(kFloat64).requires_grad(true));
  (2 * x).backward();
  fmt::print(out, "x = {}, and from an earlier backward() x.grad = {}\n\n", in_one_line(x),
             in_one_line(x.grad()));

  Variable y = x.tanh();
  fmt::print(out, "y = x.tanh()    y = {}, version {}\n", in_one_line(y), y._version());
  y.add_(3);
  fmt::print(out, "y.add_(3)       y = {}, version {}\n", in_one_line(y), y._version());
  report.add("version 1 after add_", fmt::format("version {} after add_", y._version()));

  fmt::print(out, "y.backward()\n");
  const std::string kind = kind_of_error(out, [&] { y.backward(); });
  report.add("SavedTensorModified in backward", kind + " in backward");
  fmt::print(out, "x.grad is still {}\n", in_one_line(x.grad()));
  report.add("x.grad still 2", fmt::format("x.grad still {:g}", x.grad().item()));

  x.mutable_grad().reset();
  Variable z = x.tanh();
  z = z + 3;
  z.backward();
  const double error = std::abs(x.grad().item() - (1 - std::pow(std::tanh(0.5), 2)));
  fmt::print(out, "\nz = x.tanh(); z = z + 3 overwrites nothing: x.grad = {}, off by {:.2g}\n",
             in_one_line(x.grad()), error);
  report.add_fact("z = z + 3 differentiable", error <= 1e-15);
  return report.conclude(out);
}

}  // namespace notape::paper
