// IntervalSet: a set of moments as disjoint half-open intervals, in exact integer ns.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace notape::trace {

/// [begin, end)
struct Interval {
  int64_t begin = 0, end = 0;

  int64_t length() const { return end - begin; }
  bool contains(int64_t time) const { return begin <= time && time < end; }
  bool operator==(const Interval&) const = default;
};

/// What both have; empty (end <= begin) if they are apart.
inline Interval common_part(const Interval& a, const Interval& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

class IntervalSet {
 public:
  IntervalSet() = default;
  /// The union of intervals in any order, which may overlap. Those without length vanish.
  explicit IntervalSet(std::vector<Interval> intervals);

  /// Ordered, apart from each other.
  const std::vector<Interval>& parts() const { return parts_; }
  int64_t length() const;
  bool empty() const { return parts_.empty(); }
  bool contains(int64_t time) const;

  /// These and - cost what lies beside the smaller set, and a search in the larger one.
  friend IntervalSet operator&(const IntervalSet& a, const IntervalSet& b);
  friend IntervalSet operator|(const IntervalSet& a, const IntervalSet& b);
  friend IntervalSet operator-(const IntervalSet& a, const IntervalSet& b);
  bool operator==(const IntervalSet&) const = default;

  /// The part inside `window`.
  IntervalSet within(const Interval& window) const;
  /// length() of within(window), without making it.
  int64_t length_within(const Interval& window) const;

 private:
  std::size_t first_beyond(int64_t time) const;

  std::vector<Interval> parts_;
};

/// Takes from each set what those before it have.
void make_apart(std::span<IntervalSet> sets);

}  // namespace notape::trace
