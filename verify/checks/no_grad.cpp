// no-grad: under no-grad, with volatile inputs, or when no input requires grad, no node is created
// and the values are the same.
#include "autograd/autograd.h"
#include "verify/checks/check.h"
#include "verify/checks/comparer.h"

namespace notape::verify {
namespace {

void expect_nothing_recorded(const Subject& subject, Comparer& comparer,
                             const variable_list& inputs, const std::string& how) {
  const int64_t before = counters().nodes_created;
  const Tensor output = subject.drawn.op.call(inputs);
  const int64_t created = counters().nodes_created - before;
  if (created != 0)
    comparer.fail(Verdict::Fail, "recorded",
                  format_message("{} nodes were created {}", {created, how}));
  if (output.requires_grad() && !inputs.empty() && !output.is_same(inputs[0]))
    comparer.fail(Verdict::Fail, "recorded", "the result requires grad " + how);
  comparer.same("output", subject.base().sizes, subject.base().output, numbers_of(output));
}

}  // namespace

Outcome check_no_grad(const Subject& subject) {
  Comparer comparer(subject.dtype);
  {
    const variable_list inputs = subject.inputs();
    const NoGradGuard no_grad;
    expect_nothing_recorded(subject, comparer, inputs, "under no-grad");
  }
  variable_list inputs = subject.inputs(0);
  expect_nothing_recorded(subject, comparer, inputs, "though no input requires grad");
  if (!subject.is_differentiable()) return comparer.finish("value", "");
  inputs = subject.inputs();
  for (std::size_t a : subject.real_arguments()) {
    inputs[a].set_volatile(true);
    break;  // one volatile input is enough
  }
  expect_nothing_recorded(subject, comparer, inputs, "with a volatile input");
  return comparer.finish("value", "the value depends on whether a graph is recorded");
}

}  // namespace notape::verify
