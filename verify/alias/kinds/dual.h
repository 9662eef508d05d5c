// Dual numbers: a view with a tangent of its own.
#pragma once
#include "verify/alias/kinds/kind.h"

namespace notape::verify::alias {

/// out = make_dual(a, pattern), at a level that is open all the while
struct Dual {
  Slot out = kNoSlot, a = kNoSlot;
  int8_t pattern = 0;

  static Dual propose(Draws& draws, Slot a) {
    const Slot out = draws.slot_for_result();
    return {out, a, draws.pattern()};
  }

  Expectation expect(const Oracle& oracle, bool no_grad) const {
    const Alias& x = oracle.alias(a);
    if (!oracle.features().tangents || out >= kSlots || oracle.may_have_tangent(x) ||
        x.overlaps_itself())
      return kSkip;
    return {.must = no_grad ? 0 : oracle.stale(x)};
  }

  void apply(Oracle& oracle, bool no_grad) const {
    const Alias x = oracle.alias(a);
    Alias dual = oracle.view_of(x, x.window, no_grad);
    dual.tangents = oracle.new_tangents();
    TangentField& field = oracle.tangents_of(dual);
    field.exists = true;
    for (int i = 0; i < x.numel; ++i) field.of[at(x.cell[at(i)])] = pattern_value(pattern, i);
    oracle.set(out, dual);
  }

  void run(Executor& executor) const {
    const Tensor& x = executor.held(a);
    executor.held(out) = autograd::forward_ad::make_dual(
        x, numbers(x.sizes(), [&](int i) { return pattern_value(pattern, i); }));
  }

  std::string text() const {
    return fmt::format("t{} = autograd::forward_ad::make_dual(t{}, pattern(t{}, {}));", out, a, a,
                       pattern);
  }

  Parts parts() { return {&out, {&a}, {}, {&pattern}}; }
  void need(Features& features) const { features.tangents = true; }
  bool operator==(const Dual&) const = default;
};

}  // namespace notape::verify::alias
