#include "verify/checks/nearer_than_steps.h"

#include <cmath>

#include "verify/checks/bisection.h"
#include "verify/checks/opaque_reference.h"

namespace notape::verify {

bool jump_persists(const Subject& subject, const Direction& u, const Samples& samples) {
  const auto moved = [&](double sign) {
    WideList x = subject.wide();
    for (std::size_t a = 0; a < u.parts.size(); ++a)
      for (std::size_t i = 0; i < u.parts[a].size(); ++i)
        if (const double towards = sign * u.parts[a][i]; towards != 0)
          x[a].values[i] = std::nextafter(static_cast<double>(x[a].values[i]),
                                          towards > 0 ? HUGE_VAL : -HUGE_VAL);
    return weighted_sum(subject.incoming(), opaque_reference(subject, x).values).value;
  };
  const Wide here =
      weighted_sum(subject.incoming(), opaque_reference(subject, subject.wide()).values).value;
  const Wide least = magnitude(moved(1) - here) + magnitude(moved(-1) - here);
  const Samples::Level& last = samples.levels.back();
  const Wide middle = samples.here;
  const Wide gap = magnitude(last.above - middle) + magnitude(last.below - middle);
  return least > gap / 4;
}

bool slope_settles(const Subject& subject, const Direction& u, double claimed) {
  constexpr double kStep = 0x1p-42;
  const DoublePath path = opaque_path(subject, u, subject.incoming());
  const auto settles = [&](double h) {
    return std::abs(static_cast<double>(path.at(h) - path.at(0)) / h - claimed) <=
           0.125 * std::abs(claimed);
  };
  return settles(kStep) || settles(-kStep);
}

bool is_kink_of_a_tie(const Subject& subject, const Direction& u) {
  const auto entry = only_entry(u);
  if (!entry) return false;
  DrawnCase moved = subject.drawn;
  Numbers& values = moved.arguments[entry->argument].values;
  const double here = values[entry->index], unit = here == 0 ? 0x1p-12 : 0x1p-12 * here;
  int equals = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i != entry->index && values[i] == here) values[i] += ++equals % 2 ? unit : -unit;
  if (equals < 2) return false;
  const Subject apart(subject.spec, moved, subject.dtype, subject.device);
  const Ladder ladder = opaque_ladder(apart, scaled(u, 0x1p-14), subject.incoming());
  return is_smooth(look(ladder.samples, 0));
}

}  // namespace notape::verify
