#include "trace/model/intervals.h"

#include <utility>

namespace notape::trace {

IntervalSet::IntervalSet(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& interval) { return interval.length() <= 0; });
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  for (const Interval& interval : intervals) {
    if (!parts_.empty() && interval.begin <= parts_.back().end)
      parts_.back().end = std::max(parts_.back().end, interval.end);
    else
      parts_.push_back(interval);
  }
}

int64_t IntervalSet::length() const {
  int64_t sum = 0;
  for (const Interval& part : parts_) sum += part.length();
  return sum;
}

/// The place of the first part that ends later.
std::size_t IntervalSet::first_beyond(int64_t time) const {
  return static_cast<std::size_t>(
      std::partition_point(parts_.begin(), parts_.end(),
                           [&](const Interval& part) { return part.end <= time; }) -
      parts_.begin());
}

bool IntervalSet::contains(int64_t time) const {
  const std::size_t place = first_beyond(time);
  return place < parts_.size() && parts_[place].begin <= time;
}

IntervalSet operator&(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet result;
  if (a.empty() || b.empty()) return result;
  std::size_t i = a.first_beyond(b.parts_.front().begin);
  std::size_t j = b.first_beyond(a.parts_.front().begin);
  while (i < a.parts_.size() && j < b.parts_.size()) {
    const Interval both = common_part(a.parts_[i], b.parts_[j]);
    if (both.length() > 0) result.parts_.push_back(both);
    a.parts_[i].end < b.parts_[j].end ? ++i : ++j;
  }
  return result;
}

IntervalSet operator|(const IntervalSet& a, const IntervalSet& b) {
  std::vector<Interval> all = a.parts_;
  all.insert(all.end(), b.parts_.begin(), b.parts_.end());
  return IntervalSet(std::move(all));
}

IntervalSet operator-(const IntervalSet& a, const IntervalSet& b) {
  IntervalSet result;
  std::size_t j = a.empty() ? 0 : b.first_beyond(a.parts_.front().begin);
  for (const Interval& part : a.parts_) {
    int64_t at = part.begin;
    while (j < b.parts_.size() && b.parts_[j].end <= at) ++j;
    for (std::size_t k = j; k < b.parts_.size() && b.parts_[k].begin < part.end; ++k) {
      if (b.parts_[k].begin > at) result.parts_.push_back({at, b.parts_[k].begin});
      at = std::max(at, b.parts_[k].end);
    }
    if (at < part.end) result.parts_.push_back({at, part.end});
  }
  return result;
}

IntervalSet IntervalSet::within(const Interval& window) const {
  IntervalSet result;
  auto part = parts_.begin() + static_cast<std::ptrdiff_t>(first_beyond(window.begin));
  for (; part != parts_.end() && part->begin < window.end; ++part) {
    const Interval inside = common_part(*part, window);
    if (inside.length() > 0) result.parts_.push_back(inside);
  }
  return result;
}

int64_t IntervalSet::length_within(const Interval& window) const {
  int64_t sum = 0;
  auto part = parts_.begin() + static_cast<std::ptrdiff_t>(first_beyond(window.begin));
  for (; part != parts_.end() && part->begin < window.end; ++part)
    sum += std::max<int64_t>(0, common_part(*part, window).length());
  return sum;
}

void make_apart(std::span<IntervalSet> sets) {
  IntervalSet earlier;
  for (IntervalSet& set : sets) {
    const IntervalSet all = std::move(set);
    set = all - earlier;
    earlier = earlier | all;
  }
}

}  // namespace notape::trace
