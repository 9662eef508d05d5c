// Mistakes about what must not matter: threads, blocks, who owns memory, NaN.
#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/autograd.h"
#include "ops/arithmetic.h"
#include "ops/parallel.h"
#include "ops/selection.h"
#include "verify/checks/shared_questions.h"
#include "verify/mutate/edits.h"

namespace notape::verify::mutate {
namespace {

/// Checks that look at a share of the cases look at this one.
void choose_for_rare_checks(DrawnCase& drawn) {
  constexpr uint32_t kEveryShare = 96;
  drawn.key -= drawn.key % kEveryShare;
}

constexpr int64_t kBlock = 64;
bool is_second_block(int64_t i, int64_t n) { return n > kBlock && i / kBlock == 1; }

/// There are longer cases, and a lost block is seen: not only one entry here and there matters.
bool has_longer_gradient(const Subject& right) {
  std::size_t nonzero = 0, entries = 0;
  for (const Numbers& gradient : right.base().gradients) {
    entries += gradient.size();
    nonzero +=
        gradient.size() - static_cast<std::size_t>(std::count(gradient.begin(), gradient.end(), 0));
  }
  return entries > 1 && 2 * nonzero > entries && can_be_longer(right);
}
/// An incoming gradient of equal entries reaches some argument. (A softmax, say, lets none pass.)
bool passes_equal_entries(const Subject& right) {
  if (right.incoming().size() < 2) return false;
  constexpr double kMoreThanRounding = 1e-9;
  const Run run =
      right.run(right.inputs(), right.output_tensor(Numbers(right.incoming().size(), 1)));
  return std::any_of(run.gradients.begin(), run.gradients.end(), [](const Numbers& gradient) {
    return std::any_of(gradient.begin(), gradient.end(),
                       [](double one) { return std::abs(one) > kMoreThanRounding; });
  });
}

/// The order of a sum, and so its last bits, follows the number of threads.
Tensor summed_by_threads(const Tensor& g) {
  const double unit = g.dtype() == kFloat32 ? 0x1p-22 : 0x1p-51;
  return g * (1 + (get_num_threads() + Engine::get_num_threads()) * unit);
}

Tensor as_ones_if_expanded(const Tensor& v) {
  const auto strides = v.strides();
  const bool expanded = v.numel() > 1 && std::all_of(strides.begin(), strides.end(),
                                                     [](int64_t stride) { return stride == 0; });
  return expanded && !v.requires_grad() ? ones_like(v) : v;
}

Tensor zero_for_nan(const Tensor& g) { return where(g.eq(g), g, zeros_like(g)); }

/// The gradient of an argument is NaN where the argument is.
bool has_nan_gradient(const Subject& right) {
  if (!right.is_elementwise() || right.incoming().empty()) return false;
  for (std::size_t a : right.real_arguments()) {
    if (right.drawn.arguments[a].values.empty()) continue;
    std::vector<Numbers> values;
    for (const DrawnArgument& one : right.drawn.arguments) values.push_back(one.values);
    std::fill(values[a].begin(), values[a].end(), std::numeric_limits<double>::quiet_NaN());
    const Run run =
        right.run(right.inputs(1u << a, Placement::Contiguous, &values), right.incoming_tensor());
    const Numbers& gradient = run.gradients[a];
    if (std::any_of(gradient.begin(), gradient.end(), [](double one) { return std::isnan(one); }))
      return true;
  }
  return false;
}

}  // namespace

void add_invariance_mutants(std::vector<Mutant>& all) {
  all.push_back({.id = "M12b",
                 .what = "an expanded incoming gradient taken for ones",
                 .leg = "incoming",
                 .harmless = "the result is one number, or equal entries give zero",
                 .plant = anywhere({[](const Site& s, const Tensor& v) {
                   return right_gradient(s, as_ones_if_expanded(v));
                 }}),
                 .is_wrong = passes_equal_entries});
  all.push_back({.id = "M15c",
                 .what = "zero for NaN in a gradient",
                 .leg = "nonfinite",
                 .needs = "one derivative for each entry: the elementwise ones",
                 .harmless = "the derivative does not read the inputs",
                 .plant = [](const Target& t) -> std::optional<Rules> {
                   if (t.family != "elementwise") return {};
                   return Rules{edited_gradient(zero_for_nan)};
                 },
                 .is_wrong = has_nan_gradient,
                 .prepare = choose_for_rare_checks});
  all.push_back(
      {.id = "M48c",
       .what = "second block of 64 entries lost",
       .leg = "sizes",
       .harmless = "few entries have a derivative, or there are no sizes to choose",
       .plant =
           anywhere({edited_gradient([](const Tensor& g) { return without(g, is_second_block); })}),
       .is_wrong = has_longer_gradient,
       .prepare = choose_for_rare_checks});
  all.push_back({.id = "M55b",
                 .what = "a sum whose order follows the number of threads",
                 .leg = "threads",
                 .plant = anywhere({edited_gradient(summed_by_threads)}),
                 .is_wrong = has_gradient,
                 .prepare = choose_for_rare_checks});
  all.push_back({.id = "M57b",
                 .what = "the incoming gradient used as scratch memory",
                 .leg = "hygiene",
                 .plant = anywhere({[](const Site& s, const Tensor& v) {
                   const Tensor g = right_gradient(s, v.clone());
                   if (!GradMode::is_enabled()) v.detach().fill_(0.5);
                   return g;
                 }}),
                 .is_wrong = has_gradient});
}

}  // namespace notape::verify::mutate
