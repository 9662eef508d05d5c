#include "verify/checks/lane.h"

#include <algorithm>
#include <cmath>

namespace notape::verify {
namespace {

/// The reference's results with one entry moved by a hair, or as it is.
std::vector<Wide> results(const DrawnCase& drawn, const Lane* lane = nullptr, double by = 0) {
  WideList x = wide_values(drawn);
  if (lane) x[lane->argument].values[lane->entry] += Wide(by);
  return drawn.op.reference(x).values;
}

double hair(const DrawnCase& drawn, const Lane& lane) {
  return 0x1p-60 * power_of_two_below(typical_size(drawn.arguments[lane.argument].values));
}

}  // namespace

double& value_at(DrawnCase& drawn, const Lane& lane) {
  return drawn.arguments[lane.argument].values[lane.entry];
}

DrawnCase plain_copy(const DrawnCase& drawn) {
  DrawnCase copy = drawn;
  for (DrawnArgument& argument : copy.arguments) argument.layout = {};
  copy.incoming = {};
  return copy;
}

double rounded(double value, ScalarType dtype) { return round_to(value, dtype); }

double distance_from_kinks(double x, const Domain& domain) {
  double distance = HUGE_VAL;
  for (double kink : domain.kinks) distance = std::min(distance, std::abs(x - kink));
  return distance;
}

std::vector<Lane> lanes_of(const Subject& subject, uint32_t stream,
                           const std::function<bool(const Argument&)>& wanted) {
  std::vector<Lane> lanes;
  for (std::size_t a : subject.real_arguments()) {
    if (!wanted(subject.drawn.arguments[a].argument)) continue;
    for (std::size_t i = 0; i < subject.drawn.arguments[a].values.size(); ++i)
      lanes.push_back({a, i});
  }
  if (!lanes.empty())
    std::rotate(lanes.begin(),
                lanes.begin() + keyed_bits(subject.drawn.key, stream, 0) % lanes.size(),
                lanes.end());
  return lanes;
}

bool depends(const DrawnCase& drawn, const Lane& lane, std::size_t output) {
  const Wide here = results(drawn)[output];
  const double by = hair(drawn, lane);
  return results(drawn, &lane, by)[output] != here || results(drawn, &lane, -by)[output] != here;
}

std::optional<std::size_t> dependent_output(const DrawnCase& drawn, const Lane& lane) {
  const auto here = results(drawn);
  const double by = hair(drawn, lane);
  const auto above = results(drawn, &lane, by), below = results(drawn, &lane, -by);
  for (std::size_t o = 0; o < here.size(); ++o)
    if (above[o] != here[o] || below[o] != here[o]) return o;
  return {};
}

Direction along_lane(const DrawnCase& drawn, const Lane& lane, double size) {
  Direction direction = Direction::none(drawn);
  direction.parts[lane.argument].assign(drawn.arguments[lane.argument].values.size(), 0);
  direction.parts[lane.argument][lane.entry] = size;
  return direction;
}

Numbers one_output(const Subject& subject, std::size_t output) {
  Numbers v(subject.incoming().size(), 0);
  v[output] = 1;
  return v;
}

}  // namespace notape::verify
