#include "verify/checks/argument_entry.h"

#include <algorithm>
#include <cmath>

namespace notape::verify {
namespace {

/// The reference's results with one entry moved by a hair, or as it is.
std::vector<Wide> results(const DrawnCase& drawn, const ArgumentEntry* entry = nullptr,
                          double by = 0) {
  WideList x = wide_values(drawn);
  if (entry) x[entry->argument].values[entry->index] += Wide(by);
  return drawn.op.reference(x).values;
}

double hair(const DrawnCase& drawn, const ArgumentEntry& entry) {
  return 0x1p-60 * power_of_two_below(typical_size(drawn.arguments[entry.argument].values));
}

}  // namespace

double& value_at(DrawnCase& drawn, const ArgumentEntry& entry) {
  return drawn.arguments[entry.argument].values[entry.index];
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

std::vector<ArgumentEntry> entries_where(const Subject& subject, uint32_t stream,
                                         const std::function<bool(const Argument&)>& wanted) {
  std::vector<ArgumentEntry> entries;
  for (std::size_t a : subject.real_arguments()) {
    if (!wanted(subject.drawn.arguments[a].argument)) continue;
    for (std::size_t i = 0; i < subject.drawn.arguments[a].values.size(); ++i)
      entries.push_back({a, i});
  }
  if (!entries.empty())
    std::rotate(entries.begin(),
                entries.begin() + keyed_bits(subject.drawn.key, stream, 0) % entries.size(),
                entries.end());
  return entries;
}

bool depends(const DrawnCase& drawn, const ArgumentEntry& entry, std::size_t output) {
  const Wide here = results(drawn)[output];
  const double by = hair(drawn, entry);
  return results(drawn, &entry, by)[output] != here || results(drawn, &entry, -by)[output] != here;
}

std::optional<std::size_t> dependent_output(const DrawnCase& drawn, const ArgumentEntry& entry) {
  const auto here = results(drawn);
  const double by = hair(drawn, entry);
  const auto above = results(drawn, &entry, by), below = results(drawn, &entry, -by);
  for (std::size_t o = 0; o < here.size(); ++o)
    if (above[o] != here[o] || below[o] != here[o]) return o;
  return {};
}

Direction along_entry(const DrawnCase& drawn, const ArgumentEntry& entry, double size) {
  Direction direction = Direction::none(drawn);
  direction.parts[entry.argument].assign(drawn.arguments[entry.argument].values.size(), 0);
  direction.parts[entry.argument][entry.index] = size;
  return direction;
}

Numbers one_output(const Subject& subject, std::size_t output) {
  Numbers v(subject.incoming().size(), 0);
  v[output] = 1;
  return v;
}

}  // namespace notape::verify
