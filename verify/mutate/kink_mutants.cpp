// Wrong conventions where entries tie with each other or with a bound.
#include <algorithm>
#include <cmath>
#include <map>

#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "ops/selection.h"
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

/// The gradient for arguments moved up or down, whichever is larger.
template <typename Chosen>
Tensor steeper(const Site& s, const Tensor& v, Chosen chosen) {
  const Tensor above = s.right.gradient(s.argument, nudged(s, kNudge, chosen), v);
  const Tensor below = s.right.gradient(s.argument, nudged(s, -kNudge, chosen), v);
  if (!above.defined() || !below.defined()) return right_gradient(s, v);
  return where(abs(above.detach()) > abs(below.detach()), above, below);
}

/// On a kink the derivative of the steeper side, as `>=` for `>` gives it.
std::optional<Rules> steeper_at_bounds(const Target& t) {
  return Rules{[arguments = t.op.arguments](const Site& s, const Tensor& v) {
    const std::vector<double>& kinks = arguments[s.argument].domain.kinks;
    return steeper(s, v, [&](std::size_t, double value) {
      return std::find(kinks.begin(), kinks.end(), value) != kinks.end();
    });
  }};
}

/// Every entry that ties gets what it would get alone: as the largest, or as the smallest.
std::optional<Rules> full_to_every_tie(const Target&) {
  return Rules{[](const Site& s, const Tensor& v) {
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
      of_tied = of_tied + steeper(s, v, is_this) * constant(only, sizes_of(right), right);
    }
    return tied == 0 ? right : right * constant(untied, sizes_of(right), right) + of_tied;
  }};
}

std::optional<Rules> unclamped(const Target&) {
  const auto pass = [](const Site&, const Tensor& v) { return v * 1; };
  return Rules{pass, pass};
}

}  // namespace

void add_kink_mutants(std::vector<Mutant>& all) {
  const auto always = [](const Subject&) { return true; };
  all.push_back({.id = "M22",
                 .what = "`>=` for `>` at a bound",
                 .leg = "kinks",
                 .needs = "a kink",
                 .at = Trait::HasKinks,
                 .plant = steeper_at_bounds,
                 .is_wrong = has_kink_of_slopes});
  all.push_back({.id = "M23",
                 .what = "clamp passes everything",
                 .needs = "to be a clamp",
                 .at = Trait::Clamps,
                 .plant = unclamped});
  all.push_back({.id = "M24",
                 .what = "full gradient to every tie",
                 .leg = "kinks",
                 .needs = "arguments whose order decides",
                 .at = Trait::Orders,
                 .plant = full_to_every_tie,
                 .is_wrong = always,
                 .baseline = true});
}

}  // namespace notape::verify::mutate
