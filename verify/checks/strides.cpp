// strides: an incoming gradient may lie in memory in any way: expanded (as sum() hands it back),
// permuted, sliced, stepped. Gradients for incoming ones of every layout, in memory of their own,
// against row-major ones with the same values; where the operator goes so far also those of the
// second order, of which the incoming gradient of either backward is laid out so.
#include "autograd/autograd.h"
#include "verify/checks/held_call.h"
#include "verify/checks/laid_out.h"
#include "verify/checks/second_gradients.h"

namespace notape::verify {
namespace {

Numbers incoming_of(const Subject& subject, const Layout& layout) {
  Numbers v = subject.incoming();
  const auto& sizes = subject.base().sizes;
  repeat_along(v, sizes, expanded_dim(layout, sizes));
  return v;
}

std::string words_for(const Layout& layout, const char* of_what) {
  return format_message("a gradient depends on the memory layout of {} ({})",
                        {of_what, name_of(layout.kind)});
}

/// What lies between the elements is NaN: to read it is to be wrong, and no more.
Outcome finished(Comparer& comparer, const char* reason, std::string message) {
  Outcome outcome = comparer.finish(reason, std::move(message));
  if (outcome.verdict == Verdict::Nonfinite) outcome.verdict = Verdict::Fail;
  return outcome;
}

Run first_order(const Subject& subject, const Numbers& v, const Layout* layout) {
  const variable_list inputs = subject.inputs();
  const Tensor output = subject.drawn.op.call(inputs);
  if (!output.requires_grad()) return subject.run_of(output, {});
  const Tensor result = layout ? with_incoming_layout(output, *layout) : output;
  return subject.run_of(output, autograd::grad({result}, subject.active_of(inputs),
                                               {subject.output_tensor(v)}, false, false, true));
}

Outcome check_first(const Subject& subject, const Layout& layout) {
  Comparer comparer(subject);
  const bool repeats = layout.kind == Layout::Kind::Expanded;
  const Numbers v = incoming_of(subject, layout);
  const Run expected = repeats ? first_order(subject, v, nullptr) : subject.base();
  same_up_to_rounding(subject, comparer, expected, first_order(subject, v, &layout));
  return finished(comparer, "incoming", words_for(layout, "the incoming one"));
}

Outcome check_second(const Subject& subject, const Layout& layout, const SecondGradients& usual) {
  Comparer comparer(subject);
  const bool repeats = layout.kind == Layout::Kind::Expanded;
  const std::vector<Numbers> values = values_of(subject.drawn);
  {
    const Numbers v = incoming_of(subject, layout);
    same_second_gradients(subject, v, nullptr,
                          repeats ? second_gradients(subject, values, v) : usual,
                          second_gradients(subject, values, v, {.first = &layout}), comparer);
  }
  if (comparer.failed())
    return finished(comparer, "second",
                    words_for(layout, "the incoming one when it is differentiated again"));
  const Numbers& v = subject.incoming();
  same_second_gradients(
      subject, v, repeats ? &layout : nullptr,
      repeats ? second_gradients(subject, values, v, {.second = &layout, .lay_second = false})
              : usual,
      second_gradients(subject, values, v, {.second = &layout}), comparer);
  return finished(comparer, "second", words_for(layout, "the second incoming one"));
}

}  // namespace

Outcome check_strides(const Subject& subject) {
  Outcome total;
  total.comparisons = 1;
  const EnableGradGuard recording;
  if (subject.incoming().empty()) return total;
  const std::vector<Layout> layouts = every_layout(subject.base().sizes.size());
  for (const Layout& layout : layouts)
    if (!absorb(total, check_first(subject, layout))) return total;
  if (subject.spec.order < 2) return total;
  SecondGradients usual;
  try {
    usual = second_gradients(subject, values_of(subject.drawn), subject.incoming());
  } catch (const std::exception&) {
    return total;  // `second-order` says what it is
  }
  if (!usual.exists) return total;
  for (const Layout& layout : layouts)
    if (!absorb(total, check_second(subject, layout, usual))) return total;
  return total;
}

}  // namespace notape::verify
