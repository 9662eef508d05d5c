// Wrong formulas. Most are mistakes in one formula, and so name the operator that has it (`of`):
// they say nothing about others, and a new operator lacks none of them. Where a formula serves both
// modes it is wrong in both.
#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "ops/transcendental.h"
#include "verify/mutate/edits.h"

namespace notape::verify::mutate {
namespace {

/// What a formula may read: the argument, the result, and the incoming gradient or the tangent.
using Formula = Tensor (*)(const Tensor& x, const Tensor& y, const Tensor& v);

Rules::Rule rule_of(Formula formula) {
  return [formula](const Site& s, const Tensor& given) {
    return formula(s.x[s.argument], s.right.apply(s.x), given);
  };
}

struct Line {
  const char* id;
  const char* what;
  const char* name;
  Formula formula;
  bool baseline = false;
};

const Line kLines[] = {
    {"M01", "softmax without the sum term", "softmax",
     [](const Tensor&, const Tensor& y, const Tensor& v) { return v * y; }, true},
    {"M01b", "log_softmax without the sum term", "log_softmax",
     [](const Tensor&, const Tensor&, const Tensor& v) { return v * 1; }},
    {"M01c", "tanh' without the 1", "tanh",
     [](const Tensor&, const Tensor& y, const Tensor& v) { return -v * y * y; }},
    {"M05", "tanh' as 1 - y", "tanh",
     [](const Tensor&, const Tensor& y, const Tensor& v) { return v * (1 - y); }, true},
    {"M06", "exp' from the input", "exp",
     [](const Tensor& x, const Tensor&, const Tensor& v) { return v * x; }, true},
    {"M06b", "sigmoid' from the input", "sigmoid",
     [](const Tensor& x, const Tensor&, const Tensor& v) { return v * x * (1 - x); }},
    {"M06c", "sqrt' from the input", "sqrt",
     [](const Tensor& x, const Tensor&, const Tensor& v) { return v / (x * 2); }},
    {"M06d", "rsqrt' from the input", "rsqrt",
     [](const Tensor& x, const Tensor&, const Tensor& v) { return v * x * x * x * -0.5; }},
    {"M09b", "1/x for log1p", "log1p",
     [](const Tensor& x, const Tensor&, const Tensor& v) { return v / x; }},
    {"M09", "1/x for log1p at large x", "log1p of large numbers",
     [](const Tensor& x, const Tensor&, const Tensor& v) { return v / x; }, true},
    {"M10", "a 1e-4 x term dropped", "square with a small term",
     [](const Tensor& x, const Tensor&, const Tensor& v) { return v * x * 2; }, true},
    {"M18b", "reciprocal' without the square", "reciprocal",
     [](const Tensor&, const Tensor& y, const Tensor& v) { return -v * y; }},
    {"M19", "centring term dropped", "distance to the mean",
     [](const Tensor&, const Tensor&, const Tensor& v) { return v * 1; }, true},
};

/// Without the division by the number of terms.
std::optional<Rules> undivided(const Target& t) {
  if (t.op.averaged < 2) return {};
  return Rules{edited_gradient(
      [terms = static_cast<double>(t.op.averaged)](const Tensor& g) { return g * terms; })};
}

/// Divided by n where n - 1 is meant.
Rules divided_by_n(const Target&) {
  const auto edit = [](const Site& s, const Tensor& g, int64_t results) {
    const double n = static_cast<double>(s.x[s.argument].numel()) /
                     static_cast<double>(std::max<int64_t>(results, 1));
    return g * ((n - 1) / n);
  };
  return {[=](const Site& s, const Tensor& v) { return edit(s, right_gradient(s, v), v.numel()); },
          [=](const Site& s, const Tensor& t) {
            const Tensor moved = right_tangent(s, t);
            return edit(s, moved, moved.numel());
          }};
}

/// var over everything: 2 v x / (n - 1) for 2 v (x - mean) / (n - 1)
std::optional<Rules> uncentred(const Target& t) {
  if (!t.op.label.starts_with("all") || t.op.label.ends_with("keepdim")) return {};
  const double less = t.op.label.ends_with("biased") ? 0 : 1;
  return Rules{[=](const Site& s, const Tensor& v) {
    const Tensor& x = s.x[s.argument];
    return x * v * (2 / (static_cast<double>(x.numel()) - less));
  }};
}

/// The derivative of another function.
Mutant derivative_of(const char* id, const char* what, const char* name,
                     Tensor (*other)(const Tensor&)) {
  const auto wrong =
      std::make_shared<const Truth>([other](const variable_list& x) { return other(x[0]); });
  return {.id = id,
          .what = what,
          .needs = "to be this very operator",
          .of = {name},
          .plant = [=](const Target&) -> Rules {
            return Rules{[=](const Site& s, const Tensor& v) { return wrong->gradient(0, s.x, v); },
                         [=](const Site& s, const Tensor& d) { return wrong->tangent(0, s.x, d); }};
          },
          .baseline = true};
}

Tensor tanh_approximation_of_gelu(const Tensor& x) {
  return x * 0.5 * (tanh((x + x * x * x * 0.044715) * std::sqrt(M_2_PI)) + 1);
}

}  // namespace

void add_formula_mutants(std::vector<Mutant>& all) {
  for (const Line& line : kLines)
    all.push_back({.id = line.id,
                   .what = line.what,
                   .needs = "to be this very operator",
                   .of = {line.name},
                   .plant = [&line](const Target&) { return Rules::both(rule_of(line.formula)); },
                   .baseline = line.baseline});
  all.push_back({.id = "M03",
                 .what = "1/n of a mean lost",
                 .needs = "a mean",
                 .at = Trait::Averages,
                 .plant = undivided,
                 .baseline = true});
  all.push_back(derivative_of("M07", "gelu' of its tanh approximation", "gelu_by_erf",
                              tanh_approximation_of_gelu));
  all.push_back(derivative_of("M08", "epsilon in rsqrt(x + epsilon) forgotten",
                              "rsqrt with epsilon", [](const Tensor& x) { return rsqrt(x); }));
  all.push_back(derivative_of("M11", "gradient of a tiny slope 10 times too small", "tiny slope",
                              [](const Tensor& x) { return tanh(x) * 1e-6; }));
  all.push_back({.id = "M18",
                 .what = "quotient rule without the square",
                 .needs = "a denominator",
                 .of = {"div"},
                 .plant = [](const Target& t) -> std::optional<Rules> {
                   if (t.real.size() < 2) return {};
                   return Rules{[](const Site& s, const Tensor& v) {
                     const Tensor g = right_gradient(s, v);
                     return s.argument == 1 ? g * s.x[1] : g;
                   }};
                 }});
  all.push_back({.id = "M19b",
                 .what = "variance without the mean in its gradient",
                 .needs = "a variance",
                 .of = {"var"},
                 .plant = uncentred,
                 .baseline = true});
  all.push_back({.id = "M20",
                 .what = "variance by n for n - 1",
                 .needs = "a variance",
                 .of = {"var"},
                 .plant = divided_by_n});
}

}  // namespace notape::verify::mutate
