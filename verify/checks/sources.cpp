// sources: an operator cannot tell where its inputs come from. Inputs that are results of another
// operation, and views of larger tensors, give what leaves with the same values give; what a view
// does not show gets no gradient.
#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "ops/shape.h"
#include "verify/checks/held_call.h"

namespace notape::verify {
namespace {

/// The gradients of `leaves` through inputs made of them.
variable_list gradients_through(const Subject& subject, const variable_list& leaves,
                                const variable_list& inputs, Tensor& output) {
  output = subject.drawn.op.call(inputs);
  const variable_list active = subject.active_of(leaves);
  if (!output.requires_grad()) return variable_list(active.size());
  return autograd::grad({output}, active, {subject.incoming_tensor()}, false, false, true);
}

Outcome through_results(const Subject& subject) {
  Comparer comparer(subject);
  const variable_list leaves = subject.inputs();
  variable_list inputs = leaves;
  for (std::size_t a : subject.real_arguments()) inputs[a] = leaves[a] * 1;
  Tensor output;
  const variable_list found = gradients_through(subject, leaves, inputs, output);
  same_up_to_rounding(subject, comparer, subject.base(), subject.run_of(output, found));
  return comparer.finish("nonleaf",
                         "right for leaves, wrong for inputs that are results of other operations");
}

/// The first dimension, or a scalar, as the middle of something longer.
struct Framed {
  Tensor base;
  bool scalar;
  int64_t size;

  Framed(const Subject& subject, std::size_t argument)
      : scalar(subject.drawn.arguments[argument].argument.sizes.empty()) {
    const DrawnArgument& one = subject.drawn.arguments[argument];
    std::vector<int64_t> sizes = one.argument.sizes;
    if (scalar) sizes = {1};
    size = sizes[0];
    const std::size_t row = size == 0 ? 0 : one.values.size() / static_cast<std::size_t>(size);
    Numbers values(row, 0.5);
    values.insert(values.end(), one.values.begin(), one.values.end());
    values.insert(values.end(), row, 0.5);
    sizes[0] = size == 0 ? 0 : size + 2;
    base = make_tensor(values, sizes, subject.dtype, subject.device).requires_grad_(true);
  }
  Tensor view(const Tensor& whole) const {
    if (scalar) return whole.select(0, 1);
    return size == 0 ? whole.narrow(0, 0, 0) : whole.narrow(0, 1, size);
  }
};

Outcome through_views(const Subject& subject) {
  Comparer comparer(subject);
  variable_list bases = subject.inputs(), inputs = bases;
  std::vector<Framed> frames;
  for (std::size_t a : subject.real_arguments()) {
    frames.emplace_back(subject, a);
    bases[a] = frames.back().base;
    inputs[a] = frames.back().view(bases[a]);
  }
  Tensor output;
  variable_list found = gradients_through(subject, bases, inputs, output);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i].defined()) continue;
    const std::size_t a = subject.real_arguments()[i];
    const Framed& frame = frames[i];
    for (int64_t outside : {int64_t(0), frame.size + 1})
      if (frame.size > 0)
        for (double one : numbers_of(found[i].select(0, outside)))
          if (one != 0 && !comparer.failed())
            comparer.fail(Verdict::Fail, "view",
                          format_message("argument {} is a view of a larger tensor, and what the "
                                         "view does not show gets a gradient",
                                         {a}));
    found[i] = frame.view(found[i]);
  }
  // A gradient that nobody has computed comes back from the view as zeros.
  Run run = subject.run_of(output, found);
  for (std::size_t a : subject.real_arguments())
    if (!subject.base().defined[a] && run.defined[a]) run.defined[a] = false;
  same_up_to_rounding(subject, comparer, subject.base(), run);
  return comparer.finish("view", "right for leaves, wrong for inputs that are views of others");
}

}  // namespace

Outcome check_sources(const Subject& subject) {
  Outcome total;
  total.comparisons = 1;
  if (absorb(total, through_results(subject))) absorb(total, through_views(subject));
  return total;
}

}  // namespace notape::verify
