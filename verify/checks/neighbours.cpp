#include "verify/checks/neighbours.h"

#include <algorithm>
#include <cmath>

#include "verify/checks/argument_entry.h"
#include "verify/checks/opaque_reference.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {

std::vector<DrawnCase> neighbours_in_float32(const Subject& subject) {
  constexpr double kShare = 0x1p-21;  // a few units in the last place
  constexpr uint32_t kStream = (1 << 24) + 5;
  constexpr uint32_t kMixed = 4;
  std::vector<DrawnCase> all;
  if (subject.dtype == kFloat64) return all;
  const auto add = [&](const auto& sign) {
    DrawnCase& moved = all.emplace_back(plain_copy(subject.drawn));
    for (std::size_t a : subject.real_arguments()) {
      DrawnArgument& one = moved.arguments[a];
      const Domain& domain = one.argument.domain;
      for (std::size_t i = 0; i < one.values.size(); ++i) {
        const double there =
            one.values[i] + sign(a, i, one.values[i]) * kShare * std::abs(one.values[i]);
        if (std::isfinite(there) && inside(there, domain)) one.values[i] = there;
      }
    }
  };
  for (double side : {1.0, -1.0}) {
    add([=](std::size_t, std::size_t, double value) { return value > 0 ? side : -side; });
    add([=](std::size_t, std::size_t, double) { return side; });
  }
  for (uint32_t mixed = 0; mixed < kMixed; ++mixed)
    add([&](std::size_t a, std::size_t i, double) {
      const uint32_t stream = kStream + 64 * mixed + static_cast<uint32_t>(a);
      return keyed_bits(subject.drawn.key, stream, i) & 1 ? 1.0 : -1.0;
    });
  return all;
}

namespace {

/// How far roundings on the way may have moved a float32 result: as far as it is off, or a few
/// units of the largest.
double rounding_of_results(const Subject& subject) {
  const Subject wide(subject.spec, subject.drawn, kFloat64, subject.device);
  const Numbers &here = subject.base().output, &there = wide.base().output;
  double most = 0;
  for (std::size_t o = 0; o < std::min(here.size(), there.size()); ++o)
    for (const double one :
         {epsilon_of(subject.dtype) * std::abs(there[o]), std::abs(here[o] - there[o])})
      if (std::isfinite(one)) most = std::max(most, one);
  return kResultUnits * most;
}

}  // namespace

std::vector<DrawnCase> neighbours_by_results(const Subject& subject) {
  constexpr uint32_t kStream = (1 << 24) + 6, kMixed = 16;
  const double step = rounding_of_results(subject);
  std::vector<DrawnCase> all;
  for (uint32_t mixed = 0; mixed < kMixed; ++mixed) {
    DrawnCase& moved = all.emplace_back(plain_copy(subject.drawn));
    for (std::size_t a : subject.real_arguments()) {
      DrawnArgument& one = moved.arguments[a];
      for (std::size_t i = 0; i < one.values.size(); ++i) {
        const uint32_t stream = kStream + 64 * mixed + static_cast<uint32_t>(a);
        const double share = keyed_bits(subject.drawn.key, stream, i) * 0x1p-31 - 1;
        if (inside(one.values[i] + share * step, one.argument.domain))
          one.values[i] += share * step;
      }
    }
  }
  return all;
}

bool is_of_a_rounded_tie(const Subject& subject, Wide claimed, Wide slope, Wide radius,
                         const std::function<Wide(const Subject& moved)>& derivative) {
  if (subject.dtype != kFloat32) return false;
  Wide lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (const DrawnCase& drawn : neighbours_by_results(subject)) {
    const Wide there = derivative(Subject(subject.spec, drawn, kFloat64, subject.device));
    lowest = std::min(lowest, there);
    highest = std::max(highest, there);
  }
  return highest - lowest > radius && std::min(claimed, slope) >= lowest - radius &&
         std::max(claimed, slope) <= highest + radius;
}

Slope slope_in_tiny_steps(const Subject& neighbour, const Direction& u) {
  constexpr double kSteps[] = {0x1p-25, 0x1p-26, 0x1p-27};
  const DoublePath path = opaque_path(neighbour, u, neighbour.incoming());
  Wide slopes[3];
  for (int i = 0; i < 3; ++i)
    slopes[i] = (path.at(kSteps[i]) - path.at(-kSteps[i])) / Wide(2 * kSteps[i]);
  const Wide rounding = Wide(epsilon_of(kFloat64) * path.terms() / kSteps[2]);
  return {.value = slopes[2],
          .error = std::max(
              {magnitude(slopes[0] - slopes[1]), magnitude(slopes[1] - slopes[2]), rounding}),
          .finite = is_finite(slopes[2]),
          .rungs = {}};
}

}  // namespace notape::verify
