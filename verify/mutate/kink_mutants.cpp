// Wrong conventions where entries tie with each other or with a bound.
#include <algorithm>
#include <cmath>
#include <map>

#include "autograd/autograd.h"
#include "ops/ops.h"
#include "verify/mutate/edits.h"

namespace notape::verify::mutate {
namespace {

constexpr double kNudge = 1e-6;
/// Each tied entry is moved on its own, at the cost of a gradient; a few are enough of a mistake.
constexpr int kMostTied = 16;

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
    std::map<double, int> seen;
    for (const Tensor& x : s.x)
      for (double value : numbers_of(x)) ++seen[value];
    const Tensor right = right_gradient(s, v);
    if (!right.defined()) return right;
    const Numbers self = numbers_of(s.x[s.argument]);
    Numbers untied(self.size(), 1);
    Tensor of_tied = right * 0;
    int tied = 0;
    for (std::size_t one = 0; one < self.size() && tied < kMostTied; ++one) {
      if (seen[self[one]] < 2) continue;
      ++tied;
      untied[one] = 0;
      Numbers only(self.size());
      only[one] = 1;
      const auto is_this = [one](std::size_t i, double) { return i == one; };
      of_tied = of_tied + s.right.gradient(s.argument, nudged(s, step, is_this), v) *
                              constant(only, sizes_of(right), right);
    }
    return tied == 0 ? right : right * constant(untied, sizes_of(right), right) + of_tied;
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
