#include "verify/checks/rounded_kink.h"

#include <cmath>

#include "autograd/modes/grad_mode.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {
namespace {

double next_to(double at, double toward, ScalarType dtype) {
  return dtype != kFloat64 ? static_cast<double>(
                                 std::nextafter(static_cast<float>(at), static_cast<float>(toward)))
                           : std::nextafter(at, toward);
}

Numbers values_at(const Subject& subject, const ArgumentEntry& entry, double at) {
  std::vector<Numbers> values = values_of(subject.drawn);
  values[entry.argument][entry.index] = at;
  const NoGradGuard no_grad;
  return numbers_of(subject.drawn.op.call(subject.inputs(0, Placement::Contiguous, &values)));
}

/// Whether the way is clearly as steep as that, and not as this.
bool goes_as(Wide way, Wide that, Wide other) {
  return kClearlyNearer * magnitude(way - that) < magnitude(way - other);
}

}  // namespace

std::vector<double> numbers_on(double kink, ScalarType dtype, const Domain& domain) {
  const double nearest = rounded(kink, dtype);
  std::vector<double> candidates = {nearest}, numbers;
  if (nearest != kink)
    for (const double toward : {-HUGE_VAL, HUGE_VAL})
      candidates.push_back(next_to(nearest, toward, dtype));
  for (const double one : candidates)
    if (inside(one, domain)) numbers.push_back(one);
  return numbers;
}

bool is_break_of_values(const Subject& subject, const ArgumentEntry& entry, double at,
                        const Numbers& v, Wide below, Wide above) {
  const Domain& domain = subject.drawn.arguments[entry.argument].argument.domain;
  const double before = next_to(at, -HUGE_VAL, subject.dtype);
  const double after = next_to(at, HUGE_VAL, subject.dtype);
  if (!inside(before, domain) || !inside(after, domain)) return false;
  const Numbers first = values_at(subject, entry, before), here = values_at(subject, entry, at),
                last = values_at(subject, entry, after);
  Wide up_to = 0, from = 0;
  for (std::size_t i = 0; i < here.size(); ++i) {
    up_to += Wide(v[i]) * (Wide(here[i]) - Wide(first[i]));
    from += Wide(v[i]) * (Wide(last[i]) - Wide(here[i]));
  }
  const Wide step_up = Wide(at) - Wide(before), step_from = Wide(after) - Wide(at);
  return goes_as(up_to, below * step_up, above * step_up) &&
         goes_as(from, above * step_from, below * step_from);
}

}  // namespace notape::verify
