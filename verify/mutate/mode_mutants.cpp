// Mistakes about the graph, forward mode and higher orders.
#include <algorithm>

#include "autograd/autograd.h"
#include "autograd/graph/record.h"
#include "ops/arithmetic.h"
#include "verify/mutate/edits.h"

namespace notape::verify::mutate {
namespace {

constexpr auto kPass = [](const Tensor& tangent) { return tangent * 1; };

template <typename Rule>
Tensor identity_with(Rule reverse, const Tensor& t) {
  const Operation op("identity", SourceLocation::current());
  return record(derivative("IdentityBackward0", rule(reverse, kPass)), op, t.detach().clone(),
                NoParameters(), t);
}

/// The same values, whose derivative has the wrong sign.
Tensor wrong_way(const Tensor& t) {
  return identity_with([](const Tensor& g) { return neg(g); }, t);
}
/// The same values and first derivative; the derivative of that has the wrong sign.
Tensor wrong_way_later(const Tensor& t) {
  return identity_with([](const Tensor& g) { return wrong_way(g); }, t);
}

/// The right gradient, computed from changed arguments while it is itself differentiated.
template <typename Change>
Rules second_order_changed(Change change) {
  return {[=](const Site& s, const Tensor& v) {
    if (!GradMode::is_enabled()) return right_gradient(s, v);
    variable_list x = s.x;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i].is_floating_point()) x[i] = change(s, i, x[i]);
    return s.right.gradient(s.argument, x, v);
  }};
}

/// Half of the dependence on the arguments is lost.
Tensor half_attached(const Site&, std::size_t, const Tensor& t) {
  return t * 0.5 + (t * 0.5).detach();
}
Tensor others_detached(const Site& s, std::size_t i, const Tensor& t) {
  return i == s.argument ? t : t.detach();
}
Tensor third_order_wrong(const Site&, std::size_t, const Tensor& t) { return wrong_way_later(t); }

std::optional<Rules> grad_overwritten(const Target&) {
  return Rules{[](const Site& s, const Tensor& v) {
    const Tensor& leaf = s.handles[s.argument];
    if (leaf.is_leaf()) leaf.mutable_grad() = Tensor();
    return right_gradient(s, v);
  }};
}

std::optional<Rules> counted_once(const Target& t) {
  if (!t.pair()) return {};
  return Rules{[](const Site& s, const Tensor& v) {
    const Tensor g = right_gradient(s, v);
    for (std::size_t i = 0; i < s.argument; ++i)
      if (s.handles[i].is_same(s.handles[s.argument])) return g.defined() ? g * 0 : g;
    return g;
  }};
}

std::optional<Rules> mask_shifted(const Target& t) {
  if (t.real.size() < 2) return {};
  return Rules{[real = t.real](const Site& s, const Tensor& v) {
    const auto here = std::find(real.begin(), real.end(), s.argument);
    const std::size_t next = here + 1 == real.end() ? real[0] : here[1];
    return s.handles[next].requires_grad() ? right_gradient(s, v) : Tensor();
  }};
}

std::optional<Rules> tangent_dropped(const Target& t) {
  return Rules{{}, [last = t.real.back()](const Site& s, const Tensor& tangent) {
                 const Tensor moved = right_tangent(s, tangent);
                 return s.argument == last ? moved * 0 : moved;
               }};
}

std::optional<Rules> forward_is_reverse(const Target&) {
  return Rules{{}, [](const Site& s, const Tensor& tangent) {
                 const Tensor right = right_tangent(s, tangent);
                 if (!(right.sizes() == tangent.sizes())) return right;
                 const Tensor g = s.right.gradient(s.argument, s.x, tangent);
                 return g.defined() ? g : right * 0;
               }};
}

std::optional<Rules> mixed_term_dropped(const Target& t) {
  if (t.real.size() < 2) return {};
  return second_order_changed(others_detached);
}

}  // namespace

void add_mode_mutants(std::vector<Mutant>& all) {
  const auto add = [&](Mutant mutant, std::optional<Rules> (*rules)(const Target&)) {
    mutant.plant = rules;
    all.push_back(std::move(mutant));
  };
  add({.id = "M57",
       .what = "a saved value read after a write, unchecked",
       .leg = "saved",
       .harmless = "the derivative does not read the inputs",
       .is_wrong = reads_inputs},
      [](const Target&) { return std::optional(Rules{.unchecked = true}); });
  add({.id = "M60",
       .what = ".grad overwritten, not added",
       .leg = "repeat",
       .is_wrong = has_gradient},
      grad_overwritten);
  add({.id = "M61",
       .what = "an input used twice counted once",
       .leg = "shared",
       .needs = "two inputs of one shape",
       .harmless = "where both inputs are equal the gradient is zero",
       .is_wrong = has_gradient_of_a_twin},
      counted_once);
  add({.id = "M62",
       .what = "active mask shifted by one",
       .leg = "subsets",
       .needs = "two inputs",
       .is_wrong = has_gradient},
      mask_shifted);
  add({.id = "M63", .what = "tangent of one operand dropped", .leg = "forward-mode"},
      tangent_dropped);
  add({.id = "M64",
       .what = "forward rule is the reverse rule",
       .leg = "forward-mode",
       .harmless = "the Jacobian is symmetric, or not square"},
      forward_is_reverse);
  add({.id = "M65",
       .what = "factor 2 missing at second order",
       .leg = "second-order",
       .harmless = "the second derivative is zero"},
      [](const Target&) { return std::optional(second_order_changed(half_attached)); });
  add({.id = "M66",
       .what = "mixed second-order term dropped",
       .leg = "second-order",
       .needs = "two inputs",
       .harmless = "there is no mixed term"},
      mixed_term_dropped);
  add({.id = "M67",
       .what = "sign error at third order",
       .leg = "third-order",
       .harmless = "the third derivative is zero"},
      [](const Target&) { return std::optional(second_order_changed(third_order_wrong)); });
}

}  // namespace notape::verify::mutate
