#include "verify/checks/entry_power.h"

#include <algorithm>
#include <cmath>

#include "verify/checks/bisection.h"

namespace notape::verify {

void EntryPower::add_entries(const Subject& subject, const std::vector<Numbers>& slopes) {
  for (std::size_t a : subject.real_arguments()) {
    const Numbers& values = subject.drawn.arguments[a].values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool known = a < slopes.size() && i < slopes[a].size() && std::isfinite(slopes[a][i]);
      if (std::isfinite(values[i]))
        entries_.push_back({{a, i}, known ? std::abs(slopes[a][i]) : 0});
      else
        ++immovable_;
    }
  }
}

EntryPower::EntryPower(const Subject& subject) { add_entries(subject, subject.base().gradients); }

EntryPower EntryPower::of_other_derivative(const Subject& subject) {
  EntryPower result;
  result.add_entries(subject, {});
  return result;
}

template <typename F>
void EntryPower::for_each(const Direction& u, const F& f) {
  for (Entry& entry : entries_) {
    const Numbers& part = u.parts[entry.at.argument];
    if (part.empty() || part[entry.at.index] == 0) continue;
    entry.moved = true;
    f(entry, std::abs(part[entry.at.index]));
  }
}

void EntryPower::note(Entry& entry, double step, const Seen& seen, double slope, double least) {
  const double hidden = seen.hidden / step;
  const double power = slope > 0 ? std::min(hidden / slope, least) : 0;
  if (power > entry.power) return;
  entry.power = power;
  entry.hidden = std::min(entry.hidden, hidden);
  entry.relative = seen.relative;
  entry.flat = seen.flat && slope == 0;  // else slopes of several have cancelled
}

void EntryPower::seen(const Direction& u, const Seen& seen) {
  // What is 0 but for roundings has an error relative to the slope around, not to itself.
  const double least = only_entry(u) ? seen.relative : HUGE_VAL;
  for_each(u, [&](Entry& entry, double step) { note(entry, step, seen, entry.slope, least); });
}

void EntryPower::seen(const Direction& u, const Seen& seen, const std::vector<Numbers>& entries) {
  const double least = only_entry(u) ? seen.relative : HUGE_VAL;
  for_each(u, [&](Entry& entry, double step) {
    const Numbers& own = entries[entry.at.argument];
    const double slope = entry.at.index < own.size() ? std::abs(own[entry.at.index]) : 0;
    if (slope > entry.slope) entry.slope = slope;
    note(entry, step, seen, slope, least);
    entry.alone = entry.alone || least < HUGE_VAL;
  });
}

void EntryPower::compared(const Direction& u, double detectable) {
  const bool alone = only_entry(u).has_value();
  for_each(u, [&](Entry& entry, double step) {
    entry.alone = entry.alone || alone;
    if (std::isfinite(detectable)) entry.hidden = std::min(entry.hidden, detectable / step);
  });
}

double EntryPower::steepest() const {
  double most = 0;
  for (const Entry& entry : entries_) most = std::max(most, entry.slope);
  return most;
}

bool EntryPower::is_unseen(const Entry& entry, double power, double steepest) {
  // Of a slope of 0 there is no relative error.
  return entry.power > power || (entry.slope == 0 && entry.hidden > power * steepest);
}

std::vector<ArgumentEntry> EntryPower::unseen(double power) const {
  const double most = steepest();
  std::vector<const Entry*> found;
  for (const Entry& entry : entries_)
    if (entry.moved && !entry.alone && is_unseen(entry, power, most)) found.push_back(&entry);
  std::stable_sort(found.begin(), found.end(),
                   [](const Entry* a, const Entry* b) { return a->power > b->power; });
  std::vector<ArgumentEntry> result;
  for (const Entry* entry : found) result.push_back(entry->at);
  return result;
}

std::vector<Direction> EntryPower::unseen_alone(const DrawnCase& drawn, double power) const {
  std::vector<Direction> alone;
  for (const ArgumentEntry& one : unseen(power))
    if (alone.size() < kMostAlone) alone.push_back(one_hot(drawn, one.argument, one.index));
  return alone;
}

void EntryPower::keep_counts(const Outcome& before, Outcome& outcome) const {
  const bool red = is_red(outcome.verdict);
  outcome.weakest = red ? -1 : before.weakest;
  outcome.unresolved = before.unresolved;
  outcome.comparisons = before.comparisons;
  if (!red) outcome.detectable = worst();
}

double EntryPower::worst() const {
  const double steepest = this->steepest();
  double worst = 0;
  if (steepest == 0) return 0;  // of zeros there is no relative error
  for (const Entry& entry : entries_) {
    if (!entry.moved || std::isinf(entry.hidden)) continue;
    const double size = std::max(entry.slope, kFlatShare * steepest);
    // A zero but for roundings is one of the terms that cancel.
    const double own = size > entry.hidden ? entry.hidden / size : entry.relative;
    worst = std::max(worst, std::min(entry.power, own));
  }
  return worst;
}

void EntryPower::conclude(double power, Outcome& outcome) const {
  Undecided& undecided = outcome.undecided;
  undecided = {.entries = immovable_, .of = immovable_ + static_cast<int64_t>(entries_.size())};
  NearZero& zeros = outcome.near_zero;
  zeros = {.of = undecided.of};
  const double steepest = this->steepest();
  double hidden = 0, worst = 0, zero = 0;
  bool any = false;
  for (const Entry& entry : entries_) any = any || (entry.power <= power && !entry.flat);
  for (const Entry& entry : entries_) {
    if (!entry.moved) continue;
    const bool seen = steepest == 0 ? entry.power <= power : !is_unseen(entry, power, steepest);
    if (seen && (any || !entry.flat)) {
      worst = std::max(worst, entry.power);
      zero = std::max(zero, entry.slope > 0 ? 0 : entry.hidden);
      if (entry.slope > 0 && entry.hidden > power * entry.slope) {
        ++zeros.entries;
        zeros.slope = std::max(zeros.slope, entry.hidden);
      }
    } else {
      ++undecided.entries;
      hidden = std::max(hidden, entry.hidden);
    }
  }
  if (steepest > 0) worst = std::max(worst, zero / steepest);
  undecided.slope = steepest > 0 ? hidden : std::max(hidden, zero);
  outcome.detectable = std::max(outcome.detectable, worst);
  outcome.unresolved = any && hidden <= power * steepest ? 0 : outcome.comparisons;
  if (entries_.empty()) outcome.unresolved = 0;
}

}  // namespace notape::verify
