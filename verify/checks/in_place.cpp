// in-place: x.f_() on a copy of x gives the same bits as f(x), the same gradients, and advances the
// version counter by exactly one.
#include "autograd/autograd.h"
#include "verify/checks/comparer.h"

namespace notape::verify {

Outcome check_in_place(const Subject& subject) {
  Comparer comparer(subject);
  const variable_list leaves = subject.inputs();
  variable_list arguments = leaves;
  Tensor target = leaves[0].clone();
  arguments[0] = target;
  const uint64_t before = target._version();
  subject.drawn.op.call_in_place(arguments);
  if (target._version() != before + 1)
    comparer.fail(Verdict::Fail, "version",
                  format_message("the version counter moved by {} instead of 1",
                                 {target._version() - before}));
  const Run& base = subject.base();
  comparer.same("output", base.sizes, base.output, numbers_of(target));
  if (!subject.is_differentiable()) return comparer.finish("value", "");
  const Run run =
      subject.run_of(target, autograd::grad({target}, subject.active_of(leaves),
                                            {subject.incoming_tensor()}, false, false, true));
  comparer.same_gradients(subject, base, run);
  return comparer.finish("value", "the in-place form differs from the ordinary one");
}

}  // namespace notape::verify
