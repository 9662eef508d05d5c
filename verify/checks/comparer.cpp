#include "verify/checks/comparer.h"

#include <algorithm>
#include <cmath>

namespace notape::verify {

double roundings_of(const Subject& subject) {
  const double usual = rounding_factor(subject.dtype);
  if (!subject.is_opaque()) return usual;
  const auto entries = static_cast<double>(subject.real_entries());
  return std::max({usual, entries, static_cast<double>(subject.incoming().size())});
}

EntryRadius::EntryRadius(ScalarType dtype, const Numbers& sizes, const Numbers& noise,
                         double roundings) {
  double most = 0;
  for (double one : noise)
    if (std::isfinite(one)) most = std::max(most, one);
  for (double one : sizes)
    if (std::isfinite(one)) largest = std::max(largest, std::abs(one));
  rounding = kNoiseFactor * most + roundings * epsilon_of(dtype) * largest;
  radius = rounding + smallest_of(dtype);
  scale = std::max(largest, most / epsilon_of(dtype));
}

void Comparer::within(const std::string& where, const std::vector<int64_t>& sizes,
                      std::size_t entry, Wide expected, double got, Wide radius, Wide scale) {
  ++outcome_.comparisons;
  const auto wanted = static_cast<double>(expected);
  const bool wanted_finite = std::isfinite(wanted);
  double excess = 0;
  if (atomic_) radius += Wide(atomic_->atomic_radius(wanted));
  if (!wanted_finite || !std::isfinite(got)) {
    const bool equal = wanted == got || (std::isnan(wanted) && std::isnan(got));
    excess = equal ? 0 : HUGE_VAL;
  } else {
    const Wide distance = magnitude(Wide(got) - expected);
    if (!(distance <= radius)) excess = static_cast<double>(distance / (radius + Wide(1e-300)));
    const Wide relative = scale > 0 ? radius / scale : Wide(0);
    if (relative > Wide(gate_))
      ++outcome_.unresolved;
    else
      outcome_.detectable = std::max(outcome_.detectable, static_cast<double>(relative));
  }
  if (excess <= worst_) return;
  worst_ = excess;
  outcome_.guilty = Guilty::of(where + coordinates(sizes, entry), wanted, got, dtype_);
  const bool nonfinite = wanted_finite && !std::isfinite(got);
  outcome_.verdict = nonfinite ? Verdict::Nonfinite : Verdict::Fail;
}

void Comparer::same(const std::string& where, const std::vector<int64_t>& sizes,
                    const Numbers& expected, const Numbers& got, Wide radius) {
  if (expected.size() != got.size())
    return fail(
        Verdict::Fail, "shape",
        format_message("{} has {} entries instead of {}", {where, got.size(), expected.size()}));
  for (std::size_t i = 0; i < expected.size(); ++i)
    within(where, sizes, i, Wide(expected[i]), got[i], radius, 0);
}

void Comparer::same_value(const Subject& subject, const Numbers& got) {
  double largest = 0;
  for (const double one : subject.base().output)
    if (std::isfinite(one)) largest = std::max(largest, std::abs(one));
  const double roundings = subject.is_opaque() ? kRecordingRoundings : 0;
  same("output", subject.base().sizes, subject.base().output, got,
       Wide(roundings * epsilon_of(subject.dtype) * largest));
}

void Comparer::same_gradients(const Subject& subject, const Run& expected, const Run& got,
                              ArgumentMask active, Wide radius) {
  for (std::size_t a : subject.real_arguments()) {
    const bool wanted = (active >> a & 1) && expected.defined[a];
    if (got.defined[a] != wanted)
      return fail(Verdict::Fail, "defined",
                  format_message("the gradient of argument {} is {}",
                                 {a, wanted ? "missing" : "present, but was not requested"}));
    if (wanted)
      same(format_message("gradient of argument {} at ", {a}),
           subject.drawn.arguments[a].argument.sizes, expected.gradients[a], got.gradients[a],
           radius);
  }
}

void Comparer::fail(Verdict verdict, std::string reason, std::string message) {
  ++outcome_.comparisons;
  if (failed()) return;
  outcome_.verdict = verdict;
  outcome_.reason = std::move(reason);
  outcome_.message = std::move(message);
}

Outcome Comparer::finish(std::string reason, std::string message) {
  if (failed() && outcome_.reason.empty()) {
    outcome_.reason = std::move(reason);
    outcome_.message = std::move(message);
  }
  return outcome_;
}

}  // namespace notape::verify
