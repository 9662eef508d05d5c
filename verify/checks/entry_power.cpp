#include "verify/checks/entry_power.h"

#include <algorithm>
#include <cmath>

#include "verify/checks/bisection.h"

namespace notape::verify {

EntryPower::EntryPower(const Subject& subject) {
  for (std::size_t a : subject.real_arguments()) {
    const Numbers& gradient = subject.base().gradients[a];
    const Numbers& values = subject.drawn.arguments[a].values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i]))
        entries_.push_back({{a, i}, i < gradient.size() ? std::abs(gradient[i]) : 0});
      else
        ++immovable_;
    }
  }
}

template <typename F>
void EntryPower::for_each(const Direction& u, const F& f) {
  for (Entry& entry : entries_) {
    const Numbers& part = u.parts[entry.lane.argument];
    if (!part.empty() && part[entry.lane.entry] != 0) f(entry, std::abs(part[entry.lane.entry]));
  }
}

void EntryPower::seen(const Direction& u, const Judgement& judgement) {
  // What is 0 but for roundings has an error relative to the slope around, not to itself.
  const double least = only_entry(u) ? judgement.detectable_relative : HUGE_VAL;
  for_each(u, [&](Entry& entry, double step) {
    const double hidden = judgement.detectable / step;
    const double power = entry.slope > 0 ? std::min(hidden / entry.slope, least) : 0;
    if (power > entry.power) return;
    entry.power = power;
    entry.hidden = std::min(entry.hidden, hidden);
    entry.flat = judgement.flat && entry.slope == 0;  // else slopes of several have cancelled
  });
}

void EntryPower::compared(const Direction& u, double detectable) {
  const bool alone = only_entry(u).has_value();
  for_each(u, [&](Entry& entry, double step) {
    entry.alone = entry.alone || alone;
    if (std::isfinite(detectable)) entry.hidden = std::min(entry.hidden, detectable / step);
  });
}

std::vector<Lane> EntryPower::unseen(double power) const {
  std::vector<Lane> result;
  for (const Entry& entry : entries_)
    if (!entry.alone && entry.power > power) result.push_back(entry.lane);
  return result;
}

void EntryPower::conclude(double power, Outcome& outcome) const {
  Undecided& undecided = outcome.undecided;
  undecided = {.entries = immovable_, .of = immovable_ + static_cast<int64_t>(entries_.size())};
  double steepest = 0, hidden = 0, worst = 0, zero = 0;
  bool any = false;
  for (const Entry& entry : entries_) {
    steepest = std::max(steepest, entry.slope);
    any = any || (entry.power <= power && !entry.flat);
  }
  for (const Entry& entry : entries_) {
    if (entry.power <= power && (any || !entry.flat)) {
      worst = std::max(worst, entry.power);
      zero = std::max(zero, entry.slope > 0 ? 0 : entry.hidden);
    } else {
      ++undecided.entries;
      hidden = std::max(hidden, entry.hidden);
    }
  }
  // Of zeros there is no relative error.
  if (steepest > 0) worst = std::max(worst, std::min(zero / steepest, power));
  undecided.slope = steepest > 0 ? hidden : std::max(hidden, zero);
  outcome.detectable = std::max(outcome.detectable, worst);
  outcome.unresolved = any && hidden <= power * steepest ? 0 : outcome.comparisons;
  if (entries_.empty()) outcome.unresolved = 0;
}

}  // namespace notape::verify
