#include "verify/checks/second_gradients.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "verify/checks/laid_out.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// How far second derivatives move when the arguments move by two units in the last place.
double scatter_of(const Subject& subject, const Numbers& v, const Layout* weights,
                  const SecondGradients& expected) {
  double most = 0;
  for (double units : {2.0, -2.0}) {
    std::vector<Numbers> moved = values_of(subject.drawn);
    for (std::size_t a : subject.real_arguments())
      for (double& value : moved[a]) value *= 1 + units * epsilon_of(subject.dtype);
    const SecondGradients there =
        second_gradients(subject, moved, v, {.second = weights, .lay_second = false});
    for (std::size_t k = 0; k < std::min(there.gradients.size(), expected.gradients.size()); ++k)
      for (std::size_t i = 0; i < std::min(there.gradients[k].size(), expected.gradients[k].size());
           ++i)
        if (const double apart = std::abs(there.gradients[k][i] - expected.gradients[k][i]);
            std::isfinite(apart))
          most = std::max(most, apart);
  }
  return most;
}

}  // namespace

SecondGradients second_gradients(const Subject& subject, const std::vector<Numbers>& values,
                                 const Numbers& v, const SecondLayouts& layouts) {
  const variable_list inputs = layouts.inputs
                                   ? subject.inputs(*layouts.inputs, values)
                                   : subject.inputs(kAllArguments, Placement::Contiguous, &values);
  const Tensor output = subject.drawn.op.call(inputs);
  if (!output.requires_grad()) return {};
  const Tensor incoming = subject.output_tensor(v).requires_grad_(true);
  variable_list sources = subject.active_of(inputs);
  const variable_list found =
      autograd::grad({layouts.first ? with_incoming_layout(output, *layouts.first) : output},
                     sources, {incoming}, true, true, true);
  const Layout* const second = layouts.second;
  variable_list roots, weights;
  for (const Tensor& gradient : found) {
    if (!gradient.defined() || !gradient.requires_grad() || gradient.numel() == 0) continue;
    roots.push_back(second && layouts.lay_second ? with_incoming_layout(gradient, *second)
                                                 : gradient);
    Numbers w(static_cast<std::size_t>(gradient.numel()));
    for (std::size_t i = 0; i < w.size(); ++i)
      w[i] = 0.5 + 0x1p-32 * keyed_bits(subject.drawn.key, 1 << 29, i);
    const std::vector<int64_t> sizes = gradient.sizes().vec();
    if (second) repeat_along(w, sizes, expanded_dim(*second, sizes));
    weights.push_back(make_tensor(w, sizes, gradient.dtype(), subject.device));
  }
  if (roots.empty()) return {};
  sources.push_back(incoming);
  SecondGradients result{.gradients = {}, .exists = true};
  for (const Tensor& one : autograd::grad(roots, sources, weights, false, false, true))
    result.gradients.push_back(one.defined() ? numbers_of(one) : Numbers());
  return result;
}

void same_second_gradients(const Subject& subject, const Numbers& v, const Layout* weights,
                           const SecondGradients& expected, const SecondGradients& got,
                           Comparer& comparer) {
  comparer.same("second order", {}, {0}, {0});
  double largest = 0;
  for (const Numbers& one : expected.gradients)
    for (double entry : one)
      if (std::isfinite(entry)) largest = std::max(largest, std::abs(entry));
  const double unit = epsilon_of(subject.dtype);
  std::optional<double> scattered;
  const Numbers none;
  for (std::size_t k = 0; k < expected.gradients.size(); ++k) {
    // Where this layout has no second derivative at all, zeros are what it has.
    const Numbers &wanted = expected.gradients[k],
                  &found = k < got.gradients.size() ? got.gradients[k] : none;
    for (std::size_t i = 0; i < std::max(wanted.size(), found.size()); ++i) {
      const double a = i < wanted.size() ? wanted[i] : 0, b = i < found.size() ? found[i] : 0;
      if (a == b || !std::isfinite(a) || std::abs(a - b) <= kSecondOrderRoundings * unit * largest)
        continue;
      if (!scattered) scattered = scatter_of(subject, v, weights, expected);
      const double radius = kSecondOrderRoundings * unit * largest + 64 * *scattered;
      const bool of_v = k + 1 == expected.gradients.size();
      comparer.within(of_v ? "second derivative, by the incoming gradient, entry "
                           : format_message("second derivative, by argument {}, entry ",
                                            {subject.real_arguments()[k]}),
                      {static_cast<int64_t>(std::max(wanted.size(), found.size()))}, i, Wide(a), b,
                      Wide(radius), Wide(std::max(largest, *scattered / unit)));
    }
  }
}

}  // namespace notape::verify
