// Mistakes that any operator's gradient can have: sign, size, which input gets it, what becomes of
// the incoming gradient.
#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "verify/mutate/edits.h"

namespace notape::verify::mutate {
namespace {

std::optional<Rules> none() { return {}; }

/// The same factor on the gradient and the tangent of the last argument, so that no comparison of
/// the two modes can tell.
Rules scaled(const Target& target, double factor) {
  const std::size_t last = target.real.back();
  return {[=](const Site& s, const Tensor& v) {
            const Tensor g = right_gradient(s, v);
            return s.argument == last && g.defined() ? g * factor : g;
          },
          [=](const Site& s, const Tensor& t) {
            const Tensor moved = right_tangent(s, t);
            return s.argument == last ? moved * factor : moved;
          }};
}

/// The right rule for another incoming gradient.
template <typename Change>
Rules incoming_changed(Change change) {
  return {[=](const Site& s, const Tensor& v) { return right_gradient(s, change(v)); }};
}

/// The gradient of the last argument, edited.
template <typename Edit>
Rules last_edited(const Target& target, Edit edit) {
  const std::size_t last = target.real.back();
  return {[=](const Site& s, const Tensor& v) {
    const Tensor g = right_gradient(s, v);
    return s.argument == last && g.defined() ? edit(g) : g;
  }};
}

std::optional<Rules> swapped(const Target& target) {
  const auto pair = target.pair();
  if (!pair) return none();
  return Rules{[pair](const Site& s, const Tensor& v) {
    const auto [a, b] = *pair;
    const std::size_t from = s.argument == a ? b : s.argument == b ? a : s.argument;
    return s.right.gradient(from, s.x, v);
  }};
}

std::optional<Rules> one_twice(const Target& target) {
  const auto pair = target.pair();
  if (!pair) return none();
  return Rules{[pair](const Site& s, const Tensor& v) {
    const std::size_t from = s.argument == pair->second ? pair->first : s.argument;
    return s.right.gradient(from, s.x, v);
  }};
}

bool is_middle(int64_t i, int64_t n) { return n > 1 && i == n / 2; }
bool is_middle_of_many(int64_t i, int64_t n) { return n > 1000 && i == n / 2; }

const Mutant kGradientMutants[] = {
    {.id = "M02", .what = "wrong sign", .plant = [](const Target& t) { return scaled(t, -1); }},
    {.id = "M04",
     .what = "a constant wrong in the 7th digit",
     .plant = [](const Target& t) { return scaled(t, 1.0000003); },
     .float64_only = true},
    {.id = "M12",
     .what = "incoming gradient ignored, ones instead",
     .plant = anywhere(incoming_changed([](const Tensor& v) { return ones_like(v); })),
     .baseline = true},
    {.id = "M13",
     .what = "incoming gradient summed and broadcast",
     .needs = "a result of several entries",
     .harmless = "the derivative is zero, or the result has one entry",
     .plant = anywhere(
         incoming_changed([](const Tensor& v) { return expand(sum(v), v.sizes()).clone(); }))},
    {.id = "M14",
     .what = "incoming gradient applied twice",
     .plant = anywhere(incoming_changed([](const Tensor& v) { return v * v; }))},
    {.id = "M15",
     .what = "gradient of one input zero",
     .plant = [](const Target& t) -> Rules {
       return last_edited(t, [](const Tensor& g) { return g * 0; });
     }},
    {.id = "M15b",
     .what = "gradient of one input missing",
     .plant = [](const Target& t) -> Rules {
       return last_edited(t, [](const Tensor&) { return Tensor(); });
     }},
    {.id = "M16",
     .what = "gradients of two inputs swapped",
     .needs = "two inputs of one shape",
     .harmless = "both inputs have the same gradient",
     .plant = swapped},
    {.id = "M17",
     .what = "product rule with one operand twice",
     .needs = "two inputs of one shape",
     .harmless = "both inputs have the same gradient",
     .plant = one_twice},
    {.id = "M21",
     .what = "one entry of N zeroed",
     .needs = "an input of several entries",
     .plant = anywhere({edited_gradient([](const Tensor& g) { return without(g, is_middle); })})},
    {.id = "M21b",
     .what = "one entry of a thousand zeroed",
     .leg = "long",
     .needs = "a form for any length: the elementwise ones",
     .plant = [](const Target& t) -> std::optional<Rules> {
       if (t.family != "elementwise") return {};
       return Rules{edited_gradient([](const Tensor& g) { return without(g, is_middle_of_many); })};
     },
     .is_wrong = has_gradient},
};

}  // namespace

void add_gradient_mutants(std::vector<Mutant>& all) {
  all.insert(all.end(), std::begin(kGradientMutants), std::end(kGradientMutants));
}

}  // namespace notape::verify::mutate
