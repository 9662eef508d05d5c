#include "trace/analysis/level_change.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "trace/analysis/quantile.h"

namespace notape::trace {
namespace {

constexpr std::size_t kFewestOnASide = 5;
constexpr double kMostChance = 0.001;

/// Twice the rank of each value, which is whole also where values are equal.
std::vector<int64_t> double_ranks(const std::vector<int64_t>& values) {
  std::vector<int64_t> sorted = values, ranks;
  std::sort(sorted.begin(), sorted.end());
  for (const int64_t value : values) {
    const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), value);
    ranks.push_back((low - sorted.begin()) + (high - sorted.begin()) + 1);
  }
  return ranks;
}

void take_medians(LevelChange& change, const std::vector<int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(change.first);
  change.before = median({values.begin(), middle});
  change.after = median({middle, values.end()});
}

/// The place before which most values are nearer to the one median, and from which on to the other:
/// ranks say that there are two levels, and only about where.
std::size_t parting_place(const std::vector<int64_t>& values, const LevelChange& change) {
  int64_t sum = 0, most = INT64_MIN;
  std::size_t place = change.first;
  for (std::size_t k = 1; k + kFewestOnASide <= values.size(); ++k) {
    const int64_t value = values[k - 1];
    sum += std::abs(value - change.before) <= std::abs(value - change.after) ? 1 : -1;
    if (k < kFewestOnASide || sum <= most) continue;
    most = sum;
    place = k;
  }
  return place;
}

}  // namespace

std::optional<LevelChange> find_level_change(const std::vector<int64_t>& values) {
  const std::size_t n = values.size();
  if (n < kFewestForLevels) return {};
  const std::vector<int64_t> ranks = double_ranks(values);
  // Of each place the rank sum before it, less what it would be by chance, in standard deviations.
  int64_t sum = 0;
  double largest = 0;
  LevelChange change;
  for (std::size_t k = 1; k + kFewestOnASide <= n; ++k) {
    sum += ranks[k - 1] - static_cast<int64_t>(n + 1);
    if (k < kFewestOnASide) continue;
    const double deviation = std::sqrt(static_cast<double>(k) * static_cast<double>(n - k) *
                                       static_cast<double>(n + 1) / 12);
    const double size = std::abs(static_cast<double>(sum)) / 2 / deviation;
    if (size <= largest) continue;
    largest = size;
    change.first = k;
  }
  const double chance = static_cast<double>(n) * std::erfc(largest / std::sqrt(2.0));
  if (chance >= kMostChance) return {};
  take_medians(change, values);
  change.first = parting_place(values, change);
  take_medians(change, values);
  const int64_t difference = std::abs(change.after - change.before);
  if (10 * difference < std::min(change.before, change.after)) return {};
  return change;
}

}  // namespace notape::trace
