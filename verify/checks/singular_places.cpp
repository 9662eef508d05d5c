#include "verify/checks/singular_places.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "verify/checks/exact_slope.h"
#include "verify/numeric/extrapolate.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

// Places that no row declares are found by following comparisons. Every comparison that the
// reference makes on dual numbers tells how far an entry must move for it to tie. There the value
// may have a kink or a jump, or the derivative a special case that nobody thought of.

using Comparisons = std::vector<math::BranchTrace::Comparison>;

constexpr uint32_t kTieStream = (1 << 24) + 2;

/// What the reference compares, and how that changes along u.
Comparisons comparisons_along(const DrawnCase& drawn, const Direction& u) {
  const math::BranchTrace trace;
  drawn.op.reference(dual_values(wide_values(drawn), u));
  return trace.comparisons();
}
Comparisons comparisons_along(const DrawnCase& drawn, const ArgumentEntry& entry) {
  return comparisons_along(drawn, along_entry(drawn, entry, 1));
}

/// Whether any comparison changes at all, as all entries move.
bool has_branches(const Subject& subject) {
  const Comparisons all =
      comparisons_along(subject.drawn, make_direction(subject.drawn, Scaling::Entry, 14));
  return std::any_of(all.begin(), all.end(), [](const auto& one) { return one.gap.slope != 0; });
}

/// The case with one entry moved to where comparison `which` ties; none if that is between the
/// numbers of the dtype, outside the domain, or nowhere.
std::optional<DrawnCase> at_tie(const Subject& subject, const ArgumentEntry& entry,
                                std::size_t which) {
  constexpr int kMostSteps = 4;  // Newton's
  const Domain& domain = subject.drawn.arguments[entry.argument].argument.domain;
  DrawnCase moved = plain_copy(subject.drawn);
  for (int step = 0; step < kMostSteps; ++step) {
    const Comparisons found = comparisons_along(moved, entry);
    if (which >= found.size() || found[which].gap.slope == 0) return {};
    const WideDual& gap = found[which].gap;
    if (gap.value == 0) return moved;
    double& x = value_at(moved, entry);
    x = rounded(static_cast<double>(Wide(x) - gap.value / gap.slope), subject.dtype);
    if (!inside(x, domain) || distance_from_kinks(x, domain) == 0) return {};
  }
  return {};
}

/// All entries that move the gap of a tie; none if they are too many to be tried in all
/// combinations.
std::vector<ArgumentEntry> tied_entries(const Subject& subject, const DrawnCase& drawn,
                                        std::size_t which) {
  if (subject.real_entries() > static_cast<int64_t>(kMostCombined)) return {};
  std::vector<ArgumentEntry> tied;
  for (const ArgumentEntry& entry :
       entries_where(subject, 0, [](const Argument&) { return true; })) {
    const Comparisons found = comparisons_along(drawn, entry);
    if (which < found.size() && found[which].gap.slope != 0) tied.push_back(entry);
  }
  return tied.size() <= kMostTied ? tied : std::vector<ArgumentEntry>();
}

void add_ties(const Subject& subject, const ArgumentEntry& entry, std::vector<Place>& places) {
  const Comparisons here = comparisons_along(subject.drawn, entry);
  std::size_t added = 0;
  const std::size_t first =
      here.empty() ? 0 : keyed_bits(subject.drawn.key, kTieStream, 1) % here.size();
  for (std::size_t i = 0; i < here.size() && added < kMostTies; ++i) {
    const std::size_t which = (first + i) % here.size();
    if (here[which].gap.slope == 0) continue;
    auto drawn = at_tie(subject, entry, which);
    if (!drawn) continue;
    const auto output = dependent_output(*drawn, entry);
    if (!output) continue;
    Place place{.drawn = std::move(*drawn), .entries = {}, .output = *output, .declared = false};
    place.entries = tied_entries(subject, place.drawn, which);
    place.tie = place.entries.size() > 1;
    if (place.entries.empty()) continue;
    places.push_back(std::move(place));
    ++added;
  }
}

/// Places where comparisons of the reference tie as one of some entries moves. Declared kinks are
/// left out, and so are arguments that declare ties. Empty if the reference takes no dual numbers.
std::vector<Place> undeclared_places(const Subject& subject) {
  std::vector<Place> places;
  if (!subject.drawn.op.reference.has_dual() || subject.real_entries() == 0 ||
      !has_branches(subject))
    return places;
  const auto entries =
      entries_where(subject, kTieStream, [](const Argument& one) { return !one.distinct; });
  for (std::size_t i = 0; i < std::min(entries.size(), kMostMoved); ++i)
    add_ties(subject, entries[i], places);
  return places;
}

constexpr uint32_t kSingularStream = 1 << 24;
constexpr double kOffsets[] = {0, 1, -1, 2, -2, 0x1p10, -0x1p10, 0x1p30, -0x1p30};
/// Steps that see a kink at exactly this place and no other.
constexpr Steps kTiny{58, 75};

/// x and so many units in the last place more; those of 1 beside 0.
double beside(double x, double units, ScalarType dtype) {
  const double unit = epsilon_of(dtype) * (x == 0 ? 1 : power_of_two_below(x));
  return rounded(x + units * unit, dtype);
}

bool has_kinks(const Argument& argument) { return !argument.domain.kinks.empty(); }
bool has_ties(const Argument& argument) { return argument.distinct; }

void add_kinks(const Subject& subject, std::vector<Place>& places) {
  const auto entries = entries_where(subject, kSingularStream, has_kinks);
  if (entries.empty()) return;
  const ArgumentEntry entry = entries[0];
  const Domain& domain = subject.drawn.arguments[entry.argument].argument.domain;
  const std::size_t which = keyed_bits(subject.drawn.key, kSingularStream, 1) % domain.kinks.size();
  const double kink = rounded(domain.kinks[which], subject.dtype);
  if (!inside(kink, domain)) return;
  Place on{plain_copy(subject.drawn), {entry}};
  value_at(on.drawn, entry) = kink;
  const auto output = dependent_output(on.drawn, entry);
  if (!output) return;  // flat on both sides
  on.output = *output;
  const LocalShape shape =
      look(samples_at(Subject(subject.spec, on.drawn, subject.dtype, subject.device), on, entry), 0)
          .shape;
  const bool here = shape != LocalShape::Smooth && shape != LocalShape::Undecided;
  for (const double offset : kOffsets) {
    const bool near = std::abs(offset) < 16;
    if (near && (!here || (shape == LocalShape::Jump && offset != 0))) continue;
    Place place = on;
    const double x = beside(kink, offset, subject.dtype);
    if (!inside(x, domain)) continue;
    value_at(place.drawn, entry) = x;
    place.distance = offset == 0 ? 0 : distance_from_kinks(x, domain);
    if (offset == 0 || place.distance > 0) places.push_back(std::move(place));
  }
}

void add_ties(const Subject& subject, std::vector<Place>& places) {
  const auto entries = entries_where(subject, kSingularStream + 1, has_ties);
  if (entries.size() < 2) return;
  Place on{plain_copy(subject.drawn), {}};
  on.tie = true;
  for (std::size_t i = 0; i < std::min(entries.size(), kMostCombined); ++i)
    if (const auto output = dependent_output(on.drawn, entries[i])) {
      on.output = *output;
      on.entries.push_back(entries[i]);
      break;
    }
  if (on.entries.empty()) return;
  const ArgumentEntry winner = on.entries[0];
  const double tied = value_at(on.drawn, winner);
  const std::size_t wanted = 2 + keyed_bits(subject.drawn.key, kSingularStream, 2) % 2;
  for (std::size_t i = 0; i < std::min(entries.size(), kMostCombined); ++i) {
    if (on.entries.size() == wanted) break;
    if (entries[i].argument == winner.argument && entries[i].index == winner.index) continue;
    DrawnCase tried = on.drawn;
    value_at(tried, entries[i]) = tied;
    if (!depends(tried, entries[i], on.output)) continue;
    on.drawn = std::move(tried);
    on.entries.push_back(entries[i]);
  }
  if (on.entries.size() < 2) return;
  for (const double offset : kOffsets) {
    Place place = on;
    const ArgumentEntry& last = on.entries.back();
    const double x = beside(tied, offset, subject.dtype);
    if (!inside(x, subject.drawn.arguments[last.argument].argument.domain)) continue;
    // Beside a tie of three there is one of two, which is another question.
    if (offset != 0 && on.entries.size() > 2) continue;
    value_at(place.drawn, last) = x;
    place.distance = std::abs(x - tied);
    places.push_back(std::move(place));
  }
}

}  // namespace

bool has_singular_places(const Subject& subject) {
  const bool declared = std::any_of(
      subject.real_arguments().begin(), subject.real_arguments().end(), [&](std::size_t a) {
        const DrawnArgument& drawn = subject.drawn.arguments[a];
        return !drawn.values.empty() && (has_kinks(drawn.argument) || has_ties(drawn.argument));
      });
  return declared || !undeclared_places(subject).empty();
}

std::vector<Place> singular_places(const Subject& subject) {
  std::vector<Place> places;
  add_kinks(subject, places);
  add_ties(subject, places);
  for (Place& place : undeclared_places(subject)) places.push_back(std::move(place));
  return places;
}

double unit_of(const Place& place) {
  double unit = 0;
  for (const ArgumentEntry& entry : place.entries)
    unit = std::max(unit, typical_size(place.drawn.arguments[entry.argument].values));
  return power_of_two_below(unit);
}

Samples samples_at(const Subject& subject, const Place& place, const ArgumentEntry& entry) {
  const Direction u = along_entry(place.drawn, entry, unit_of(place));
  const Numbers v = one_output(subject, place.output);
  const Path path = subject.path(u, subject.wide(), v);
  Samples samples;
  samples.epsilon = kWideEpsilon;
  const auto value_at = [&](Wide t) {
    const Sample sample = path(t);
    samples.noise = std::max(samples.noise, reference_noise(sample));
    samples.largest = std::max(samples.largest, magnitude(sample.value));
    return sample.value;
  };
  samples.here = value_at(0);
  for (int k = kTiny.first; k <= kTiny.last; ++k) {
    const Wide h = Wide(std::ldexp(1.0, -k));
    samples.levels.push_back({k, value_at(-h), value_at(h)});
  }
  return samples;
}

}  // namespace notape::verify
