// Known divergences: compositions that look like a function of the atlas and are not, because the
// chain rule knows nothing of their sum. Listed, so that nobody has to find out.
#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/transcendental.h"
#include "verify/atlas/atlas.h"

namespace notape::verify::atlas {
namespace {

using T = const Tensor&;

Row divergence(Rule rule, Spelling spelling, Numbers x, Numbers value,
               std::vector<Numbers> derivatives, const char* note, const char* cases = "") {
  Row row = of_vector("known divergences", spelling.name, rule, std::move(x), std::move(value),
                      std::move(derivatives), {spelling}, cases);
  row.note = note;
  return row;
}

}  // namespace

std::vector<Row> divergences() {
  return {
      divergence(Rule::R2,
                 {"where(x >= 0, x, 0)", "where", [](T x) { return where(x >= 0, x, 0); }}, {0},
                 {0}, {{1}, {0}}, "the chosen branch is differentiated; relu: 0"),
      divergence(Rule::R3, {"(x + abs(x)) / 2", "abs", [](T x) { return (x + abs(x)) / 2; }}, {0},
                 {0}, {{0.5}, {0}}, "the chain rule; relu: 0"),
      divergence(Rule::R4, {"sqrt(sum(x * x))", "sqrt", [](T x) { return sqrt((x * x).sum()); }},
                 {0, 0}, {0}, {{kNaN, kNaN}}, "NONFINITE: an infinite slope times 0; a norm has 0",
                 "C4"),
      divergence(Rule::R4, {"sqrt(var(x))", "sqrt", [](T x) { return sqrt(var(x)); }}, {1, 1, 1},
                 {0}, {{kNaN, kNaN, kNaN}},
                 "NONFINITE: an infinite slope times 0; a standard deviation has 0", "C5"),
      divergence(Rule::R6, {"log(x) * 0", "log", [](T x) { return log(x) * 0; }}, {0}, {kNaN},
                 {{kNaN}}, "NONFINITE: R6 rewrites no product between two operators"),
  };
}

}  // namespace notape::verify::atlas
