#include "verify/checks/additive.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "verify/checks/opaque_reference.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {
namespace {

/// Groups of equal finite entries, the largest first.
std::vector<std::vector<ArgumentEntry>> ties_of(const Subject& subject) {
  std::map<double, std::vector<ArgumentEntry>> groups;
  for (std::size_t a : subject.real_arguments()) {
    const Numbers& values = subject.drawn.arguments[a].values;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::isfinite(values[i])) groups[values[i]].push_back({a, i});
  }
  std::vector<std::vector<ArgumentEntry>> ties;
  for (auto& [value, entries] : groups)
    if (entries.size() > 1) ties.push_back(std::move(entries));
  std::stable_sort(ties.begin(), ties.end(),
                   [](const auto& one, const auto& other) { return one.size() > other.size(); });
  ties.resize(std::min(ties.size(), kMostAdditiveTies));
  return ties;
}

void add(Direction& u, const Direction& other, double sign) {
  for (std::size_t a = 0; a < u.parts.size(); ++a) {
    if (u.parts[a].empty()) u.parts[a].assign(other.parts[a].size(), 0);
    for (std::size_t i = 0; i < other.parts[a].size(); ++i)
      u.parts[a][i] += sign * other.parts[a][i];
  }
}

/// What moves together, in steps of one size.
std::vector<Direction> units_of(const Subject& subject, const std::vector<ArgumentEntry>& tie) {
  const double value = subject.drawn.arguments[tie[0].argument].values[tie[0].index];
  const double size = value == 0 ? 1 : power_of_two_below(std::abs(value));
  std::vector<Direction> units;
  for (std::size_t k = 0; k < tie.size(); ++k) {
    Direction one = along_entry(subject.drawn, tie[k], size);
    if (k < kMostUnits)
      units.push_back(std::move(one));
    else
      add(units[k % kMostUnits], one, 1);
  }
  return units;
}

/// Along one direction; none where it has no certain slope.
std::optional<Slope> slope_along(const Subject& subject, const Direction& u, const Numbers& v) {
  const Ladder ladder = opaque_ladder(subject, u, v);
  if (!ladder.slope.finite || ladder.one_sided || !is_smooth(look(ladder.samples, 0))) return {};
  // Where nothing moves the slope is 0, and no ladder settles.
  if (!ladder.converged && !ladder.samples.constant()) return {};
  return ladder.slope;
}

bool adds_up(const Subject& subject, const std::vector<ArgumentEntry>& tie) {
  constexpr uint32_t kStream = (1 << 24) + 6;
  const Numbers v = unlike_numbers(subject);
  const std::vector<Direction> units = units_of(subject, tie);
  std::vector<Slope> slopes;
  for (const Direction& unit : units) {
    auto slope = slope_along(subject, unit, v);
    if (!slope) return true;  // nothing is known
    slopes.push_back(std::move(*slope));
  }
  for (uint32_t round = 0; round < 4; ++round) {
    Direction all = Direction::none(subject.drawn);
    Wide sum = 0, size = 0, error = 0;
    for (std::size_t k = 0; k < units.size(); ++k) {
      const bool minus = round > 0 && (keyed_bits(subject.drawn.key, kStream + round, k) & 1);
      add(all, units[k], minus ? -1 : 1);
      sum += minus ? -slopes[k].value : slopes[k].value;
      size += magnitude(slopes[k].value);
      error += slopes[k].error;
    }
    const auto together = slope_along(subject, all, v);
    if (!together) continue;
    const Wide apart = magnitude(together->value - sum);
    if (apart > Wide(kLadderFactor) * (error + together->error) &&
        apart > Wide(kClearTieError) * (size + magnitude(together->value)))
      return false;
  }
  return true;
}

}  // namespace

std::vector<ArgumentEntry> entries_without_derivative(const Subject& subject) {
  std::vector<ArgumentEntry> result;
  for (const std::vector<ArgumentEntry>& tie : ties_of(subject))
    if (!adds_up(subject, tie)) result.insert(result.end(), tie.begin(), tie.end());
  return result;
}

}  // namespace notape::verify
