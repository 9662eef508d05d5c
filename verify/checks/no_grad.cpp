// no-grad: under no-grad, with volatile inputs, or when no input requires grad, no node is created
// and the values are the same. One volatile input is enough to make the result volatile. A function
// that keeps a tensor which requires grad may record what it does with that, except under no-grad.
#include "autograd/autograd.h"
#include "verify/checks/comparer.h"
#include "verify/checks/kept_tensors.h"

namespace notape::verify {
namespace {

void expect_nothing_recorded(const Subject& subject, Comparer& comparer,
                             const variable_list& inputs, const std::string& how,
                             bool may_record = false) {
  const int64_t before = counters().nodes_created;
  const Tensor output = subject.drawn.op.call(inputs);
  const int64_t created = counters().nodes_created - before;
  if (created != 0 && !may_record)
    comparer.fail(Verdict::Fail, "recorded",
                  format_message("{} nodes were created {}", {created, how}));
  if (output.grad_fn() && !may_record)
    comparer.fail(Verdict::Fail, "recorded", "the result has a history " + how);
  comparer.same_value(subject, numbers_of(output));
}

}  // namespace

Outcome check_no_grad(const Subject& subject) {
  Comparer comparer(subject);
  subject.base();  // recorded, and so computed before the guard
  {
    const variable_list inputs = subject.inputs();
    const NoGradGuard no_grad;
    expect_nothing_recorded(subject, comparer, inputs, "under no-grad");
  }
  const bool keeps = keeps_recorded_tensors(subject);
  expect_nothing_recorded(subject, comparer, subject.inputs(0), "though no input requires grad",
                          keeps);
  if (!subject.is_differentiable()) return comparer.finish("value", "");

  variable_list inputs = subject.inputs();
  inputs[subject.real_arguments().front()].set_volatile(true);
  if (!subject.drawn.op.call(inputs).is_volatile())
    comparer.fail(Verdict::Fail, "volatile", "the result of a volatile input is not volatile");
  for (std::size_t a : subject.real_arguments()) inputs[a].set_volatile(true);
  expect_nothing_recorded(subject, comparer, inputs, "with volatile inputs", keeps);
  return comparer.finish("value", "the value depends on whether a graph is recorded");
}

}  // namespace notape::verify
