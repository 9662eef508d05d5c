#include "verify/mutate/mutant.h"

#include <algorithm>
#include <cstring>

namespace notape::verify::mutate {

Target::Target(const OpSpec& spec, const OpCase& drawn)
    : name(spec.name), family(spec.family), traits(spec.traits), op(drawn) {
  for (std::size_t i = 0; i < op.arguments.size(); ++i)
    if (op.arguments[i].kind == Argument::Kind::Real) real.push_back(i);
  if (family == "elementwise" && op.arguments.size() > 1) traits = traits | Trait::Broadcasts;
  for (std::size_t i : real) {
    if (!op.arguments[i].domain.kinks.empty()) traits = traits | Trait::HasKinks;
    if (op.arguments[i].distinct) traits = traits | Trait::Orders;
  }
}

std::optional<std::pair<std::size_t, std::size_t>> Target::pair() const {
  for (std::size_t a : real)
    for (std::size_t b : real)
      if (a < b && sizes(a) == sizes(b)) return std::pair(a, b);
  return {};
}

namespace {

/// Plants nothing where the mistake has no business.
void keep_to_its_rows(Mutant& mutant) {
  mutant.plant = [at = mutant.at, of = mutant.of,
                  plant = std::move(mutant.plant)](const Target& target) -> std::optional<Rules> {
    const bool is_meant = (at == Trait::None || target.is(at)) &&
                          (of.empty() || std::find(of.begin(), of.end(), target.name) != of.end());
    return is_meant ? plant(target) : std::nullopt;
  };
}

}  // namespace

const std::vector<Mutant>& all_mutants() {
  static const std::vector<Mutant> all = [] {
    std::vector<Mutant> result;
    add_gradient_mutants(result);
    add_formula_mutants(result);
    add_shape_mutants(result);
    add_precision_mutants(result);
    add_memory_mutants(result);
    add_mode_mutants(result);
    add_kink_mutants(result);
    add_invariance_mutants(result);
    for (Mutant& one : result) keep_to_its_rows(one);
    std::stable_sort(result.begin(), result.end(),
                     [](const Mutant& a, const Mutant& b) { return std::strcmp(a.id, b.id) < 0; });
    return result;
  }();
  return all;
}

const Mutant& no_mutant() {
  static const Mutant none{
      .id = "M00", .what = "nothing", .leg = "", .plant = [](const Target&) { return Rules(); }};
  return none;
}

}  // namespace notape::verify::mutate
