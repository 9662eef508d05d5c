// strides: an incoming gradient may lie in memory in any way: expanded (as sum() hands it back),
// permuted, sliced, stepped. Gradients for incoming ones of every layout, in memory of their own,
// against row-major ones with the same values; where the operator goes so far also those of the
// second order, of which the incoming gradient of either backward is laid out so.

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "verify/checks/held_call.h"
#include "verify/checks/laid_out.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

Numbers incoming_of(const Subject& subject, const Layout& layout) {
  Numbers v = subject.incoming();
  const auto& sizes = subject.base().sizes;
  repeat_along(v, sizes, expanded_dim(layout, sizes));
  return v;
}

std::string words_for(const Layout& layout, const char* of_what) {
  return format_message("a gradient depends on the memory layout of {} ({})",
                        {of_what, name_of(layout.kind)});
}

/// What lies between the elements is NaN: to read it is to be wrong, and no more.
Outcome finished(Comparer& comparer, const char* reason, std::string message) {
  Outcome outcome = comparer.finish(reason, std::move(message));
  if (outcome.verdict == Verdict::Nonfinite) outcome.verdict = Verdict::Fail;
  return outcome;
}

Run first_order(const Subject& subject, const Numbers& v, const Layout* layout) {
  const variable_list inputs = subject.inputs();
  const Tensor output = subject.drawn.op.call(inputs);
  if (!output.requires_grad()) return subject.run_of(output, {});
  const Tensor result = layout ? with_incoming_layout(output, *layout) : output;
  return subject.run_of(output, autograd::grad({result}, subject.active_of(inputs),
                                               {subject.output_tensor(v)}, false, false, true));
}

Outcome check_first(const Subject& subject, const Layout& layout) {
  Comparer comparer(subject);
  const bool repeats = layout.kind == Layout::Kind::Expanded;
  const Numbers v = incoming_of(subject, layout);
  const Run expected = repeats ? first_order(subject, v, nullptr) : subject.base();
  same_up_to_rounding(subject, comparer, expected, first_order(subject, v, &layout));
  return finished(comparer, "incoming", words_for(layout, "the incoming one"));
}

/// What is differentiated a second time: all gradients, weighted, by the arguments and by v.
struct Second {
  std::vector<Numbers> gradients;
  bool exists = false;
};

Second second_order(const Subject& subject, const std::vector<Numbers>& values, const Numbers& v,
                    const Layout* first, const Layout* second, bool lay_second = true) {
  const variable_list inputs = subject.inputs(kAllArguments, Placement::Contiguous, &values);
  const Tensor output = subject.drawn.op.call(inputs);
  if (!output.requires_grad()) return {};
  const Tensor incoming = subject.output_tensor(v).requires_grad_(true);
  variable_list sources = subject.active_of(inputs);
  const variable_list found =
      autograd::grad({first ? with_incoming_layout(output, *first) : output}, sources, {incoming},
                     true, true, true);
  variable_list roots, weights;
  for (const Tensor& gradient : found) {
    if (!gradient.defined() || !gradient.requires_grad() || gradient.numel() == 0) continue;
    roots.push_back(second && lay_second ? with_incoming_layout(gradient, *second) : gradient);
    Numbers w(static_cast<std::size_t>(gradient.numel()));
    for (std::size_t i = 0; i < w.size(); ++i)
      w[i] = 0.5 + 0x1p-32 * keyed_bits(subject.drawn.key, 1 << 29, i);
    const std::vector<int64_t> sizes = gradient.sizes().vec();
    if (second) repeat_along(w, sizes, expanded_dim(*second, sizes));
    weights.push_back(make_tensor(w, sizes, gradient.dtype(), subject.device));
  }
  if (roots.empty()) return {};
  sources.push_back(incoming);
  Second result{.gradients = {}, .exists = true};
  for (const Tensor& one : autograd::grad(roots, sources, weights, false, false, true))
    result.gradients.push_back(one.defined() ? numbers_of(one) : Numbers());
  return result;
}

/// How far second derivatives move when the arguments move by two units in the last place.
double second_noise(const Subject& subject, const Numbers& v, const Layout* weights,
                    const Second& expected) {
  double most = 0;
  for (double units : {2.0, -2.0}) {
    std::vector<Numbers> moved = values_of(subject.drawn);
    for (std::size_t a : subject.real_arguments())
      for (double& value : moved[a]) value *= 1 + units * epsilon_of(subject.dtype);
    const Second there = second_order(subject, moved, v, nullptr, weights, false);
    for (std::size_t k = 0; k < std::min(there.gradients.size(), expected.gradients.size()); ++k)
      for (std::size_t i = 0; i < std::min(there.gradients[k].size(), expected.gradients[k].size());
           ++i)
        if (const double apart = std::abs(there.gradients[k][i] - expected.gradients[k][i]);
            std::isfinite(apart))
          most = std::max(most, apart);
  }
  return most;
}

void compare(const Subject& subject, const Second& expected, const Second& got,
             const std::function<double()>& noise, Comparer& comparer) {
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
      if (!scattered) scattered = noise();
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

Outcome check_second(const Subject& subject, const Layout& layout, const Second& usual) {
  Comparer comparer(subject);
  const bool repeats = layout.kind == Layout::Kind::Expanded;
  const std::vector<Numbers> values = values_of(subject.drawn);
  {
    const Numbers v = incoming_of(subject, layout);
    const Second expected = repeats ? second_order(subject, values, v, nullptr, nullptr) : usual;
    compare(
        subject, expected, second_order(subject, values, v, &layout, nullptr),
        [&] { return second_noise(subject, v, nullptr, expected); }, comparer);
  }
  if (comparer.failed())
    return finished(comparer, "second",
                    words_for(layout, "the incoming one when it is differentiated again"));
  const Numbers& v = subject.incoming();
  const Second expected =
      repeats ? second_order(subject, values, v, nullptr, &layout, /*lay_second=*/false) : usual;
  compare(
      subject, expected, second_order(subject, values, v, nullptr, &layout),
      [&] { return second_noise(subject, v, repeats ? &layout : nullptr, expected); }, comparer);
  return finished(comparer, "second", words_for(layout, "the second incoming one"));
}

}  // namespace

Outcome check_strides(const Subject& subject) {
  Outcome total;
  total.comparisons = 1;
  const EnableGradGuard recording;
  if (subject.incoming().empty()) return total;
  const std::vector<Layout> layouts = every_layout(subject.base().sizes.size());
  for (const Layout& layout : layouts)
    if (!absorb(total, check_first(subject, layout))) return total;
  if (subject.spec.order < 2) return total;
  Second usual;
  try {
    usual = second_order(subject, values_of(subject.drawn), subject.incoming(), nullptr, nullptr);
  } catch (const std::exception&) {
    return total;  // `second-order` says what it is
  }
  if (!usual.exists) return total;
  for (const Layout& layout : layouts)
    if (!absorb(total, check_second(subject, layout, usual))) return total;
  return total;
}

}  // namespace notape::verify
