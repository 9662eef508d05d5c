// shared: one tensor in the place of two arguments. Its gradient is the sum of what each of two
// tensors with these values gets.
#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "verify/checks/comparer.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// Numbers that both arguments may have; none if there are none.
Numbers common_values(const DrawnArgument& a, const DrawnArgument& b) {
  const double low = std::max(a.argument.domain.low, b.argument.domain.low);
  const double high = std::min(a.argument.domain.high, b.argument.domain.high);
  if (low > high) return {};
  Numbers values = a.values;
  for (double& value : values) value = std::clamp(value, low, high);
  return values;
}

void check_pair(const Subject& subject, std::size_t a, std::size_t b, Comparer& comparer) {
  const DrawnArgument &first = subject.drawn.arguments[a], &second = subject.drawn.arguments[b];
  if (first.argument.sizes != second.argument.sizes || first.values.empty()) return;
  const Numbers values = common_values(first, second);
  if (values.empty()) return;
  std::vector<Numbers> all = values_of(subject.drawn);
  all[a] = all[b] = values;
  const variable_list apart = subject.inputs(kAllArguments, Placement::Contiguous, &all);
  variable_list together = subject.inputs(kAllArguments, Placement::Contiguous, &all);
  together[b] = together[a];
  const Run separate = subject.run(apart, subject.incoming_tensor());
  const Tensor output = subject.drawn.op.call(together);
  if (!output.requires_grad()) return;
  const Tensor gradient =
      autograd::grad({output}, {together[a]}, {subject.incoming_tensor()}, false, false, true)[0];
  const Numbers got = gradient.defined() ? numbers_of(gradient) : Numbers(values.size(), 0);
  const auto part = [&](std::size_t argument, std::size_t i) {
    return separate.defined[argument] ? separate.gradients[argument][i] : 0;
  };
  double most = 0, terms = 0;
  for (double value : values) most = std::max(most, std::abs(value));
  for (std::size_t i = 0; i < separate.output.size(); ++i)
    if (const double term = std::abs(subject.incoming()[i] * separate.output[i]);
        std::isfinite(term))
      terms += term;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Where slopes cancel, what is left of them are roundings of their terms.
    const double own = values[i] == 0 ? most : std::abs(values[i]);
    const Wide natural = own > 0 ? Wide(terms / own) : Wide(0);
    const Wide scale = std::max(Wide(std::abs(part(a, i)) + std::abs(part(b, i))), natural);
    comparer.within(format_message("gradient of arguments {} and {} as one, at ", {a, b}),
                    first.argument.sizes, i, Wide(part(a, i)) + Wide(part(b, i)), got[i],
                    Wide(rounding_factor(subject.dtype) * epsilon_of(subject.dtype)) * natural +
                        Wide(2 * epsilon_of(subject.dtype)) * scale,
                    scale);
  }
}

}  // namespace

Outcome check_shared(const Subject& subject) {
  Comparer comparer(subject);
  const auto& real = subject.real_arguments();
  for (std::size_t i = 0; i < real.size(); ++i)
    for (std::size_t j = i + 1; j < real.size(); ++j)
      check_pair(subject, real[i], real[j], comparer);
  return comparer.finish("sum", "a tensor used twice does not get the sum of both gradients");
}

}  // namespace notape::verify
