#include "verify/mutate/wrongness.h"

#include <algorithm>
#include <cmath>

#include "verify/checks/directions_of.h"
#include "verify/checks/duals.h"
#include "verify/checks/tower.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify::mutate {
namespace {

/// Units in the last place that another order of operations may cost.
constexpr double kRounding = 256;

bool same(const Numbers& a, const Numbers& b, ScalarType dtype) {
  double largest = 0;
  for (const Numbers* numbers : {&a, &b})
    for (double number : *numbers)
      if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
  const double radius = kRounding * epsilon_of(dtype) * largest;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] != b[i] && !(std::abs(a[i] - b[i]) <= radius)) return false;
  }
  return true;
}

/// Undefined counts as zero.
bool same_gradients(const Subject& subject, const Run& a, const Run& b) {
  for (std::size_t i : subject.real_arguments()) {
    const Numbers zero(subject.drawn.arguments[i].values.size(), 0);
    if (!same(a.defined[i] ? a.gradients[i] : zero, b.defined[i] ? b.gradients[i] : zero,
              subject.dtype))
      return false;
  }
  return true;
}

Run as_drawn(const Subject& subject) {
  return subject.run(subject.inputs(kAllArguments, Placement::AsDrawn),
                     subject.incoming_tensor(Placement::AsDrawn));
}

bool same(const Sample& a, const Sample& b, ScalarType dtype) {
  const Wide scale = std::max(a.magnitude, b.magnitude);
  return magnitude(a.value - b.value) <= Wide(kRounding * epsilon_of(dtype)) * scale;
}

bool same_tangents(const Subject& right, const Subject& planted) {
  for (const Direction& u : directions_of(right))
    if (!same(forward_slope(right, u), forward_slope(planted, u), right.dtype)) return false;
  return true;
}

bool same_towers(const Subject& right, const Subject& planted) {
  if (right.real_entries() == 0 || right.incoming().empty()) return true;
  const Direction u = make_direction(right.drawn, Scaling::Entry, 12);
  const Numbers q = signs_of_result(right);
  const Tower a = derivative_tower(right, u, q), b = derivative_tower(planted, u, q);
  return same(a.second, b.second, right.dtype) && same(a.third, b.third, right.dtype) &&
         same(a.moving, b.moving, right.dtype);
}

bool any_nonzero(const Numbers& numbers) {
  return std::any_of(numbers.begin(), numbers.end(), [](double one) { return one != 0; });
}

}  // namespace

bool differs(const Subject& right, const Subject& planted) {
  return !same_gradients(right, right.base(), planted.base()) ||
         !same_gradients(right, as_drawn(right), as_drawn(planted)) ||
         !same_tangents(right, planted) || !same_towers(right, planted);
}

bool has_gradient(const Subject& right) {
  const auto& gradients = right.base().gradients;
  return std::any_of(gradients.begin(), gradients.end(), any_nonzero);
}

bool has_gradient_of_a_twin(const Subject& right) {
  const auto& real = right.real_arguments();
  const auto& arguments = right.drawn.arguments;
  for (std::size_t a : real)
    for (std::size_t b : real) {
      if (a >= b || arguments[a].argument.sizes != arguments[b].argument.sizes) continue;
      std::vector<Numbers> values = values_of(right.drawn);
      const Domain &first = arguments[a].argument.domain, &second = arguments[b].argument.domain;
      const double low = std::max(first.low, second.low), high = std::min(first.high, second.high);
      if (low > high) continue;
      for (double& value : values[a]) value = std::clamp(value, low, high);
      values[b] = values[a];
      const Run equal = right.run(right.inputs(kAllArguments, Placement::Contiguous, &values),
                                  right.incoming_tensor());
      if (any_nonzero(equal.gradients[b])) return true;
    }
  return false;
}

bool reads_inputs(const Subject& right) {
  std::vector<Numbers> moved;
  for (const DrawnArgument& one : right.drawn.arguments) {
    Numbers values = one.values;
    const Domain& domain = one.argument.domain;
    if (one.is_real())
      for (double& value : values)
        value = 0.9 * value + 0.1 * (0.5 * domain.low + 0.5 * domain.high);
    moved.push_back(std::move(values));
  }
  const Run there = right.run(right.inputs(kAllArguments, Placement::Contiguous, &moved),
                              right.incoming_tensor());
  return !same_gradients(right, right.base(), there);
}

bool has_kink_of_slopes(const Subject& right) {
  const std::size_t a = right.real_arguments()[0];
  if (right.drawn.arguments[a].values.empty() || right.incoming().empty()) return false;
  for (double kink : right.drawn.arguments[a].argument.domain.kinks) {
    constexpr double kStep = 0x1p-40;
    const auto value_at = [&](double step) {
      WideList x = right.wide();
      x[a].values[0] = Wide(kink) + Wide(step);
      return right.reference(x).values[0];
    };
    const auto up = static_cast<double>((value_at(kStep) - value_at(0)) / Wide(kStep));
    const auto down = static_cast<double>((value_at(0) - value_at(-kStep)) / Wide(kStep));
    // Where the value jumps, a slope is as steep as the step is short.
    if (std::abs(up) < 1e3 && std::abs(down) < 1e3 && std::abs(up - down) > 1e-3) return true;
  }
  return false;
}

}  // namespace notape::verify::mutate
