#include "trace/analysis/launch_curve.h"

#include <algorithm>

namespace notape::trace {

int64_t TimeWeighted::total_ns() const {
  int64_t total = 0;
  for (const auto& [height, ns] : ns_at_) total += ns;
  return total;
}

Value TimeWeighted::mean() const {
  const int64_t total = total_ns();
  if (total == 0) return {};
  int64_t area = 0;
  for (const auto& [height, ns] : ns_at_) area += height * ns;
  return static_cast<double>(area) / static_cast<double>(total);
}

Value TimeWeighted::quantile(int64_t percent) const {
  const int64_t total = total_ns();
  if (total == 0) return {};
  const int64_t place = std::min(total - 1, total / 100 * percent + total % 100 * percent / 100);
  int64_t before = 0;
  for (const auto& [height, ns] : ns_at_)
    if ((before += ns) > place) return height;
  return {};
}

Value TimeWeighted::share_at_least(int64_t height) const {
  const int64_t total = total_ns();
  if (total == 0) return {};
  int64_t above = 0;
  for (auto place = ns_at_.lower_bound(height); place != ns_at_.end(); ++place)
    above += place->second;
  return static_cast<double>(above) / static_cast<double>(total);
}

/// Calls `visit(time, height)` for the height after each change.
template <typename Visit>
void LaunchCurve::visit_changes(Visit visit) const {
  std::vector<int64_t> begins, ends;
  for (const Interval& time : times_) {
    begins.push_back(time.begin);
    ends.push_back(time.end);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  int64_t height = 0;
  for (std::size_t i = 0, j = 0; j < ends.size();) {
    const bool begins_one = i < begins.size() && begins[i] <= ends[j];
    height += begins_one ? 1 : -1;
    visit(begins_one ? begins[i++] : ends[j++], height);
  }
}

TimeWeighted LaunchCurve::time_weighted() const {
  std::map<int64_t, int64_t> ns_at;
  int64_t last_time = 0, last_height = 0, max = 0;
  bool is_first = true;
  visit_changes([&](int64_t time, int64_t height) {
    if (!is_first && time > last_time) ns_at[last_height] += time - last_time;
    is_first = false;
    last_time = time;
    last_height = height;
    max = std::max(max, height);
  });
  return TimeWeighted(std::move(ns_at), max);
}

Value LaunchCurve::mean_of_changes() const {
  int64_t sum = 0, changes = 0;
  visit_changes([&](int64_t, int64_t height) {
    sum += height;
    ++changes;
  });
  if (changes == 0) return {};
  return static_cast<double>(sum) / static_cast<double>(changes);
}

// The work done until t is the sum of t - begin over what has begun, less that of t - end over what
// has ended. Sums count from the first begin, or they would leave int64.
WorkDone::WorkDone(const std::vector<Interval>& ops) {
  for (const Interval& op : ops) {
    begins_.sorted.push_back(op.begin);
    ends_.sorted.push_back(op.end);
  }
  for (Times* times : {&begins_, &ends_}) {
    std::sort(times->sorted.begin(), times->sorted.end());
    times->tree.resize(ops.size() + 1);
  }
  origin_ = ops.empty() ? 0 : begins_.sorted.front();
}

void WorkDone::Times::add(int64_t time, int64_t ns) {
  const auto rank = std::lower_bound(sorted.begin(), sorted.end(), time) - sorted.begin();
  for (auto i = static_cast<std::size_t>(rank) + 1; i < tree.size(); i += i & (~i + 1)) {
    ++tree[i].count;
    tree[i].ns += ns;
  }
}

WorkDone::Sum WorkDone::Times::until(int64_t time) const {
  Sum sum;
  const auto rank = std::upper_bound(sorted.begin(), sorted.end(), time) - sorted.begin();
  for (auto i = static_cast<std::size_t>(rank); i > 0; i -= i & (~i + 1)) {
    sum.count += tree[i].count;
    sum.ns += tree[i].ns;
  }
  return sum;
}

void WorkDone::add(const Interval& op) {
  begins_.add(op.begin, op.begin - origin_);
  ends_.add(op.end, op.end - origin_);
}

int64_t WorkDone::until(int64_t time) const {
  const Sum begun = begins_.until(time), ended = ends_.until(time);
  return (begun.count - ended.count) * (time - origin_) - begun.ns + ended.ns;
}

}  // namespace notape::trace
