// Rows of a model, or pointers to them, by their times.
#pragma once
#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "trace/model/intervals.h"

namespace notape::trace {

/// When the host began a row: a launch, its call.
template <typename Row>
int64_t begin_of(const Row& row) {
  if constexpr (std::is_pointer_v<Row>)
    return begin_of(*row);
  else if constexpr (requires { row.call->time; })
    return row.call->time.begin;
  else if constexpr (requires { row.time.begin; })
    return row.time.begin;
  else
    return row.time;
}

/// The rows that begin in the window, of a list ordered by that.
template <typename Row>
std::span<const Row> rows_in(const std::vector<Row>& rows, const Interval& window) {
  const auto first_from = [&](int64_t time) {
    return std::partition_point(rows.begin(), rows.end(),
                                [&](const Row& row) { return begin_of(row) < time; });
  };
  const auto first = first_from(window.begin);
  return {first, std::max(first, first_from(window.end))};
}

/// When at least one of the rows that are wanted was under way.
template <typename Row, typename Wanted>
IntervalSet time_of(const std::vector<Row>& rows, Wanted is_wanted) {
  std::vector<Interval> times;
  for (const Row& row : rows)
    if (is_wanted(row)) {
      if constexpr (std::is_pointer_v<Row>)
        times.push_back(row->time);
      else
        times.push_back(row.time);
    }
  return IntervalSet(std::move(times));
}
template <typename Row>
IntervalSet time_of(const std::vector<Row>& rows) {
  return time_of(rows, [](const Row&) { return true; });
}

}  // namespace notape::trace
