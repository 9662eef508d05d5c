// Questions for gradients: backward(), grad() of one or two roots, and its derivative.
#pragma once
#include "verify/alias/kinds/kind.h"

namespace notape::verify::alias {

/// a.backward(weights); grad of a, and of b if given, at all leaves; grad of direction · (grad of a
/// at all leaves)
struct Gradient {
  static constexpr bool kIgnoresGradMode = true;
  enum class Way : uint8_t { Backward, Grad, GradOfGrad };
  Slot a = kNoSlot, b = kNoSlot;
  Way way = Way::Backward;
  bool retains = false;  ///< the graph

  static Gradient propose(Draws& draws, Slot a) {
    Gradient one{.a = a, .way = draws.percent(50) ? Way::Backward : Way::Grad};
    if (draws.oracle().features().second && draws.percent(50)) one.way = Way::GradOfGrad;
    one.retains = draws.percent(85);
    return one;
  }

  Expectation expect(const Oracle& oracle, bool) const {
    Expectation result;
    for (const Slot root : {a, b}) {
      if (root == kNoSlot) continue;
      if (!oracle.is_defined(root)) return kSkip;
      result.must |= oracle.stale(oracle.alias(root));
      if (!oracle.needs(oracle.alias(root))) result.must |= bit(Failure::NothingRequiresGrad);
    }
    if (oracle.was_freed()) result.may |= bit(Failure::GraphFreed);
    if (oracle.features().tangents && oracle.has_error_node())
      result.may |= bit(Failure::ForwardNotImplemented);
    if (way != Way::GradOfGrad) return result;
    if (!oracle.features().second || oracle.features().tangents) return kSkip;
    // The second pass meets the hooks once more, on paths that the oracle does not tell apart.
    for (const HookState& hook : oracle.hooks())
      if (hook.scale != 1) return kSkip;
    if (oracle.has_error_node()) result.may |= bit(Failure::DerivativeNotImplemented);
    return result;
  }

  void apply(Oracle& oracle, bool) const {
    if (!retains) oracle.note_freed();
  }

  void run(Executor& executor) const {
    const Tensor& root = executor.held(a);
    if (way == Way::Backward) return executor.backward(root, retains);
    if (way == Way::GradOfGrad) return executor.grad_of_grad(root, retains);
    TensorList roots = {root};
    if (b != kNoSlot) roots.push_back(executor.held(b));
    executor.grad(roots, retains);
  }

  std::string text() const {
    switch (way) {
      case Way::Backward:
        return fmt::format("t{}.backward(weights(t{}), {});", a, a, retains);
      case Way::Grad:
        return fmt::format("show(grad({{t{}{}}}, leaves, {}));", a,
                           b == kNoSlot ? "" : fmt::format(", t{}", b), retains);
      case Way::GradOfGrad:
        return fmt::format("show(second_grad(t{}, leaves, {}));", a, retains);
    }
    return "";
  }

  Parts parts() { return {nullptr, {&a, &b}, {}, {}}; }
  std::vector<Gradient> simpler() const {
    std::vector<Gradient> result;
    if (way != Way::Grad) return result;
    if (b != kNoSlot) result.push_back({a, kNoSlot, way, retains});
    if (retains) result.push_back({a, b, way, false});
    return result;
  }

  void need(Features& features) const { features.second |= way == Way::GradOfGrad; }
  bool operator==(const Gradient&) const = default;
};

}  // namespace notape::verify::alias
