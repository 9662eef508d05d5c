// Dual numbers: a view with a tangent of its own.
#include "autograd/forward/dual.h"

#include <fmt/format.h>

#include "verify/alias/draws.h"
#include "verify/alias/executor.h"

namespace notape::verify::alias {

Dual Dual::propose(Draws& draws, Slot a) {
  const Slot out = draws.slot_for_result();
  return {out, a, draws.pattern()};
}

Expectation Dual::expect(const Oracle& oracle, bool no_grad) const {
  const Alias& x = oracle.alias(a);
  if (!oracle.features().tangents || out >= kSlots || oracle.may_have_tangent(x) ||
      x.overlaps_itself())
    return kSkip;
  return {.must = no_grad ? 0 : oracle.stale(x)};
}

void Dual::apply(Oracle& oracle, bool no_grad) const {
  const Alias x = oracle.alias(a);
  Alias dual = oracle.view_of(x, x.window, no_grad);
  dual.tangents = oracle.new_tangents();
  TangentField& field = oracle.tangents_of(dual);
  field.exists = true;
  for (int i = 0; i < x.numel; ++i) field.of[at(x.cell[at(i)])] = pattern_value(pattern, i);
  oracle.set(out, dual);
}

void Dual::run(Executor& executor) const {
  const Tensor& x = executor.held(a);
  executor.held(out) = autograd::forward_ad::make_dual(
      x, numbers(x.sizes(), [&](int i) { return pattern_value(pattern, i); }));
}

std::string Dual::text() const {
  return fmt::format("t{} = autograd::forward_ad::make_dual(t{}, pattern(t{}, {}));", out, a, a,
                     pattern);
}

}  // namespace notape::verify::alias
