// Wrong conventions where entries tie with each other or with a bound.
#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "verify/mutate/edits.h"

namespace notape::verify::mutate {
namespace {

constexpr double kNudge = 1e-6;

/// `x` with one argument moved by `step` in the entries where `chosen` holds.
template <typename Chosen>
variable_list nudged(const Site& s, double step, Chosen chosen) {
  const Tensor& self = s.x[s.argument];
  Numbers values = numbers_of(self);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = chosen(i, values[i]) ? step : 0;
  variable_list x = s.x;
  x[s.argument] = self + constant(values, sizes_of(self), self);
  return x;
}

/// On a kink the derivative of the steeper side, as `>=` for `>` gives it.
std::optional<Rules> steeper_at_bounds(const Target& t) {
  if (t.real.size() != 1 || t.family != "elementwise") return {};
  const std::vector<double> kinks = t.op.arguments[t.real[0]].domain.kinks;
  if (kinks.empty()) return {};
  return Rules{[=](const Site& s, const Tensor& v) {
    const auto on_kink = [&](std::size_t, double value) {
      return std::find(kinks.begin(), kinks.end(), value) != kinks.end();
    };
    const Tensor above = s.right.gradient(s.argument, nudged(s, kNudge, on_kink), v);
    const Tensor below = s.right.gradient(s.argument, nudged(s, -kNudge, on_kink), v);
    if (!above.defined() || !below.defined()) return right_gradient(s, v);
    return where(abs(above.detach()) > abs(below.detach()), above, below);
  }};
}

/// Every entry that ties gets what it would get alone.
std::optional<Rules> full_to_every_tie(const Target& t) {
  if (!t.op.arguments[t.real[0]].distinct) return {};
  const double step = t.is({"min", "min_dim", "minimum"}) ? -kNudge : kNudge;
  return Rules{[=](const Site& s, const Tensor& v) {
    Numbers all;
    for (const Tensor& x : s.x)
      for (double value : numbers_of(x)) all.push_back(value);
    std::sort(all.begin(), all.end());
    const Tensor right = right_gradient(s, v);
    if (std::adjacent_find(all.begin(), all.end()) == all.end() || !right.defined()) return right;
    Tensor sum = right * 0;
    for (std::size_t one = 0; one < at(right.numel()); ++one) {
      Numbers only(at(right.numel()));
      only[one] = 1;
      const auto is_this = [one](std::size_t i, double) { return i == one; };
      sum = sum + s.right.gradient(s.argument, nudged(s, step, is_this), v) *
                      constant(only, sizes_of(right), right);
    }
    return sum;
  }};
}

std::optional<Rules> unclamped(const Target& t) {
  if (!t.is({"clamp", "clamp_min", "clamp_max", "relu"})) return {};
  const auto pass = [](const Site&, const Tensor& v) { return v * 1; };
  return Rules{pass, pass};
}

}  // namespace

void add_kink_mutants(std::vector<Mutant>& all) {
  const auto always = [](const Subject&) { return true; };
  all.push_back({.id = "M22",
                 .what = "`>=` for `>` at a bound",
                 .leg = "kinks",
                 .needs = "one argument and a kink",
                 .plant = steeper_at_bounds,
                 .is_wrong = has_kink_of_slopes});
  all.push_back({.id = "M23",
                 .what = "clamp passes everything",
                 .leg = "reverse",
                 .needs = "to be a clamp",
                 .plant = unclamped});
  all.push_back({.id = "M24",
                 .what = "full gradient to every tie",
                 .leg = "kinks",
                 .needs = "arguments whose order decides",
                 .plant = full_to_every_tie,
                 .is_wrong = always,
                 .baseline = true});
}

}  // namespace notape::verify::mutate
