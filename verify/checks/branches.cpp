#include "verify/checks/branches.h"

#include <algorithm>
#include <cmath>

#include "verify/checks/exact_slope.h"

namespace notape::verify {
namespace {

using Comparisons = std::vector<math::BranchTrace::Comparison>;

constexpr uint32_t kStream = (1 << 24) + 2;
constexpr std::size_t kMostLanes = 2, kMostTies = 2;

/// What the reference compares, and how that changes along u.
Comparisons comparisons_along(const DrawnCase& drawn, const Direction& u) {
  const math::BranchTrace trace;
  drawn.op.reference(dual_values(wide_values(drawn), u));
  return trace.comparisons();
}
Comparisons comparisons_along(const DrawnCase& drawn, const Lane& lane) {
  return comparisons_along(drawn, along_lane(drawn, lane, 1));
}

/// Whether any comparison changes at all, as all entries move.
bool has_branches(const Subject& subject) {
  const Comparisons all =
      comparisons_along(subject.drawn, make_direction(subject.drawn, Scaling::Entry, 14));
  return std::any_of(all.begin(), all.end(), [](const auto& one) { return one.gap.slope != 0; });
}

/// The case with one lane moved to where comparison `which` ties; none if that is between the
/// numbers of the dtype, outside the domain, or nowhere.
std::optional<DrawnCase> at_tie(const Subject& subject, const Lane& lane, std::size_t which) {
  constexpr int kMostSteps = 4;  // Newton's
  const Domain& domain = subject.drawn.arguments[lane.argument].argument.domain;
  DrawnCase moved = plain_copy(subject.drawn);
  for (int step = 0; step < kMostSteps; ++step) {
    const Comparisons found = comparisons_along(moved, lane);
    if (which >= found.size() || found[which].gap.slope == 0) return {};
    const WideDual& gap = found[which].gap;
    if (gap.value == 0) return moved;
    double& x = value_at(moved, lane);
    x = rounded(static_cast<double>(Wide(x) - gap.value / gap.slope), subject.dtype);
    if (!inside(x, domain) || distance_from_kinks(x, domain) == 0) return {};
  }
  return {};
}

/// All lanes that move the gap of a tie; none if they are too many to be tried in all combinations.
std::vector<Lane> tied_lanes(const Subject& subject, const DrawnCase& drawn, std::size_t which) {
  constexpr std::size_t kMostEntries = 48, kMostTied = 3;
  if (subject.real_entries() > static_cast<int64_t>(kMostEntries)) return {};
  std::vector<Lane> tied;
  for (const Lane& lane : lanes_of(subject, 0, [](const Argument&) { return true; })) {
    const Comparisons found = comparisons_along(drawn, lane);
    if (which < found.size() && found[which].gap.slope != 0) tied.push_back(lane);
  }
  return tied.size() <= kMostTied ? tied : std::vector<Lane>();
}

void add_ties(const Subject& subject, const Lane& lane, std::vector<Place>& places) {
  const Comparisons here = comparisons_along(subject.drawn, lane);
  std::size_t added = 0;
  const std::size_t first =
      here.empty() ? 0 : keyed_bits(subject.drawn.key, kStream, 1) % here.size();
  for (std::size_t i = 0; i < here.size() && added < kMostTies; ++i) {
    const std::size_t which = (first + i) % here.size();
    if (here[which].gap.slope == 0) continue;
    auto drawn = at_tie(subject, lane, which);
    if (!drawn) continue;
    const auto output = dependent_output(*drawn, lane);
    if (!output) continue;
    Place place{.drawn = std::move(*drawn), .lanes = {}, .output = *output, .declared = false};
    place.lanes = tied_lanes(subject, place.drawn, which);
    place.tie = place.lanes.size() > 1;
    if (place.lanes.empty()) continue;
    places.push_back(std::move(place));
    ++added;
  }
}

}  // namespace

std::vector<Place> undeclared_places(const Subject& subject) {
  std::vector<Place> places;
  if (!subject.drawn.op.reference.has_dual() || subject.real_entries() == 0 ||
      !has_branches(subject))
    return places;
  const auto lanes = lanes_of(subject, kStream, [](const Argument& one) { return !one.distinct; });
  for (std::size_t i = 0; i < std::min(lanes.size(), kMostLanes); ++i)
    add_ties(subject, lanes[i], places);
  return places;
}

}  // namespace notape::verify
