// How many things were under way at each time: +1 when one begins, -1 when it ends.
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "trace/analysis/value.h"
#include "trace/model/intervals.h"

namespace notape::trace {

/// For how many ns a curve had each height.
class TimeWeighted {
 public:
  explicit TimeWeighted(std::map<int64_t, int64_t> ns_at, int64_t max)
      : ns_at_(std::move(ns_at)), max_(max) {}

  /// Nothing if no time has passed.
  Value mean() const;
  /// The height at that place of all moments, ordered by height.
  Value quantile(int64_t percent) const;
  Value share_at_least(int64_t height) const;
  /// Also of heights that lasted no time.
  int64_t max() const { return max_; }

 private:
  int64_t total_ns() const;

  std::map<int64_t, int64_t> ns_at_;
  int64_t max_;
};

class LaunchCurve {
 public:
  void add(int64_t begin, int64_t end) { times_.push_back({begin, end}); }
  uint64_t size() const { return times_.size(); }

  /// From the first begin to the last end. What begins at a moment counts before what ends then.
  TimeWeighted time_weighted() const;
  /// The mean of the heights after each change, however long they last.
  Value mean_of_changes() const;

 private:
  template <typename Visit>
  void visit_changes(Visit visit) const;

  std::vector<Interval> times_;
};

/// What of the ops added so far had been done until a time, in ns of work. Each answer costs the
/// logarithm of their number, which a Fenwick tree over their times makes it.
class WorkDone {
 public:
  /// Those that will be added, in any order.
  explicit WorkDone(const std::vector<Interval>& ops);
  void add(const Interval& op);
  int64_t until(int64_t time) const;

 private:
  struct Sum {
    int64_t count = 0, ns = 0;  ///< of times since the origin
  };
  struct Times {
    std::vector<int64_t> sorted;
    std::vector<Sum> tree;

    void add(int64_t time, int64_t ns);
    Sum until(int64_t time) const;
  };

  Times begins_, ends_;
  int64_t origin_ = 0;
};

}  // namespace notape::trace
