// repeat: the same call gives the same bits; so does a second backward over a retained graph; two
// backward passes accumulate exactly twice the gradient; the gradient is linear in the incoming
// one.
#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "verify/checks/comparer.h"
#include "verify/checks/opaque_reference.h"
#include "verify/numeric/rounding_modes.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

Run scaled_run(Run run, double factor) {
  for (Numbers& gradient : run.gradients) gradient = scaled(gradient, factor);
  return run;
}

/// The gradients that `.backward()`, called `times` times, leaves in the `.grad` of the inputs.
Run accumulated(const Subject& subject, int times) {
  const variable_list inputs = subject.inputs();
  const Tensor output = subject.drawn.op.call(inputs);
  for (int i = 0; i < times && output.requires_grad(); ++i)
    output.backward(subject.incoming_tensor(), true, false, subject.active_of(inputs));
  variable_list gradients;
  for (std::size_t a : subject.real_arguments()) gradients.push_back(inputs[a].grad());
  return subject.run_of(output, gradients);
}

/// Rules of users may take the logarithm of what comes in, or scale it: then twice as much costs
/// roundings.
double roundings_of_scaling(const Subject& subject) {
  double most = 0;
  for (std::size_t a : subject.real_arguments())
    if (subject.is_opaque() && subject.base().defined[a])
      most = std::max(
          most, EntryRadius(subject.dtype, subject.base().gradients[a], subject.gradient_noise(a))
                    .rounding);
  return most;
}

/// Of declared atomic adds, several calls have to stay within what another order explains.
void check_bits(const Subject& subject, Comparer& comparer) {
  constexpr int kCallsOfAtomics = 8;
  for (int call = 0; call < (subject.atomic_terms() > 0 ? kCallsOfAtomics : 1); ++call) {
    const Run again = subject.run(subject.inputs(), subject.incoming_tensor());
    Comparer same(subject);
    same.same("output", subject.base().sizes, subject.base().output, again.output);
    same.same_gradients(subject, subject.base(), again);
    const Outcome outcome = same.finish("", "");
    if (!same.failed()) continue;
    const Guilty guilty = outcome.guilty.value_or(Guilty());
    return comparer.fail(
        Verdict::Nondeterministic, "bits",
        subject.atomic_terms() == 0
            ? "equal calls give different bits: " + guilty.where
            : format_message("equal calls differ by {} in {}, and sums of {} terms in any order "
                             "by {} at most",
                             {std::abs(guilty.got - guilty.expected), guilty.where,
                              subject.atomic_terms(), subject.atomic_radius(guilty.expected)}));
  }
}

/// By how much roundings may move every entry of J^T v, J^T w and their sum, inside backward and in
/// what it is given: where the terms of v - sum(p v) cancel, a gradient is nothing but that.
class Rounded {
 public:
  Rounded(const Subject& subject, std::vector<Numbers> parts)
      : subject_(subject), parts_(std::move(parts)) {}

  const Numbers& moved(std::size_t argument) {
    if (moved_.empty()) measure();
    return moved_[argument];
  }

 private:
  void measure() {
    moved_ = subject_.base().gradients;
    for (Numbers& one : moved_) one.assign(one.size(), 0);
    add_jitter();
    parts_.push_back(subject_.incoming());
    for (const Numbers& v : parts_) add_modes(v);
  }

  Numbers all_gradients(const Numbers& v) const {
    const EnableGradGuard recording;
    const Run run = subject_.run(subject_.inputs(), subject_.output_tensor(v));
    Numbers all;
    for (const Numbers& one : run.gradients) all.insert(all.end(), one.begin(), one.end());
    return all;
  }

  /// Adds to every entry's movement.
  void add(const Numbers& all) {
    std::size_t next = 0;
    for (Numbers& one : moved_)
      for (double& entry : one) {
        const double more = next < all.size() ? std::abs(all[next]) : 0;
        if (std::isfinite(more)) entry += more;
        ++next;
      }
  }

  void add_jitter() {
    constexpr uint32_t kStream = 1 << 25;
    Numbers v = subject_.incoming();
    for (std::size_t i = 0; i < v.size(); ++i)
      if (keyed_bits(subject_.drawn.key, kStream, i) & 1)
        v[i] *= 1 + 2 * epsilon_of(subject_.dtype);
    Numbers apart = all_gradients(v);
    const Numbers here = all_gradients(subject_.incoming());
    for (std::size_t i = 0; i < apart.size() && i < here.size(); ++i) apart[i] -= here[i];
    add(apart);
  }

  void add_modes(const Numbers& v) {
    const auto gradients = [&] { return all_gradients(v); };
    if (modes_reach(subject_.device)) return add(spread_over_modes(gradients, gradients()));
    // As if every number inside were of the size of the largest one.
    double largest = 0;
    for (const double one : v) largest = std::max(largest, std::abs(one));
    const double unit = epsilon_of(subject_.dtype) * largest;
    add(Numbers(all_gradients(v).size(), rounding_factor(subject_.dtype) * unit));
  }

  const Subject& subject_;
  std::vector<Numbers> parts_;
  std::vector<Numbers> moved_;
};

/// J^T (v + w) = J^T v + J^T w up to rounding.
void check_sum(const Subject& subject, Comparer& comparer) {
  Numbers even = subject.incoming(), odd = even;
  for (std::size_t i = 0; i < even.size(); ++i) (i % 2 ? even : odd)[i] = 0;
  const Run a = subject.run(subject.inputs(), subject.output_tensor(even));
  const Run b = subject.run(subject.inputs(), subject.output_tensor(odd));
  Rounded rounded(subject, {even, odd});
  for (std::size_t argument : subject.real_arguments()) {
    if (!subject.base().defined[argument] || !a.defined[argument] || !b.defined[argument]) continue;
    const Numbers& whole = subject.base().gradients[argument];
    const Numbers &left = a.gradients[argument], &right = b.gradients[argument];
    const Numbers noise = subject.gradient_noise(argument);
    double largest = 0;
    const auto is_number = [&](std::size_t i) {  // an infinite slope times numbers of both signs
      return std::isfinite(left[i]) && std::isfinite(right[i]);
    };
    for (std::size_t i = 0; i < whole.size(); ++i)
      if (is_number(i))
        largest = std::max(largest, std::abs(left[i]) + std::abs(right[i]) + noise[i]);
    const double radius = rounding_factor(subject.dtype) * epsilon_of(subject.dtype) * largest +
                          smallest_of(subject.dtype);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (!is_number(i)) continue;
      const Wide sum = Wide(left[i]) + Wide(right[i]);
      double allowed = radius + kNoiseFactor * noise[i];
      if (!(magnitude(sum - Wide(whole[i])) <= Wide(allowed)))
        allowed += kNoiseFactor * rounded.moved(argument)[i];
      comparer.within(format_message("gradient of argument {} as a sum, at ", {argument}),
                      subject.drawn.arguments[argument].argument.sizes, i, sum, whole[i],
                      Wide(allowed), Wide(largest));
    }
  }
}

}  // namespace

Outcome check_repeat(const Subject& subject) {
  Comparer comparer(subject);
  check_bits(subject, comparer);
  if (comparer.failed()) return comparer.finish("bits", "");
  const Run& base = subject.base();
  comparer.same_value(subject, subject.run(subject.inputs(0), Tensor()).output);
  if (!subject.is_differentiable() || comparer.failed()) return comparer.finish("bits", "");
  comparer.same_gradients(subject, base, accumulated(subject, 1));
  comparer.same_gradients(subject, scaled_run(base, 2), accumulated(subject, 2));
  for (double factor : {2.0, -1.0, 0.0})
    comparer.same_gradients(
        subject, scaled_run(base, factor),
        subject.run(subject.inputs(), subject.output_tensor(scaled(subject.incoming(), factor))),
        kAllArguments,
        Wide(smallest_of(subject.dtype) + std::abs(factor) * roundings_of_scaling(subject)));
  check_sum(subject, comparer);
  return comparer.finish("linear",
                         "the gradient is not linear in the incoming gradient, or "
                         "accumulates wrongly");
}

}  // namespace notape::verify
