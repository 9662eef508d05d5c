// Sums over some dimensions of a row-major tensor, for teams (ops/reduce/team.h).
#pragma once
#include "ops/core/divisor.h"
#include "ops/reduce/accumulator.h"
#include "ops/reduce/row.h"
#include "ops/reduce/several_teams.h"

namespace notape::cuda {

/// What meets in one result, of a tensor seen as (outer, far, kept, near): `far` runs of `near`
/// neighbours.
struct Meeting {
  int64_t outer, far, kept, near;

  int64_t results() const { return outer * kept; }
  NOTAPE_HD int64_t size() const { return far * near; }
  NOTAPE_HD int64_t start(int64_t result) const {
    return (result / kept * far * kept + result % kept) * near;
  }
};

/// A total as a sum or mean.
template <typename To, typename Total>
NOTAPE_HD To divided(Total sum, double divisor) {
  if constexpr (std::is_floating_point_v<Total>)
    return static_cast<To>(sum / divisor);
  else
    return static_cast<To>(sum);
}

/// How the elements of a sum are read.
template <typename From>
struct FromMemory {
  using Element = From;
  const From* self;
  NOTAPE_HD From operator()(int64_t i) const { return self[i]; }
};

/// A team at each result.
template <typename Read, typename To>
struct SumOfMeeting {
  using From = typename Read::Element;
  using Total = Accumulator<From>;
  Read read;
  To* result;
  Meeting meeting;
  double divisor;
  bool is_small;  ///< whether by_near divides places
  Divisor by_near;

  SumOfMeeting(const Read& read, To* result, const Meeting& meeting, double divisor)
      : read(read),
        result(result),
        meeting(meeting),
        divisor(divisor),
        is_small(meeting.size() <= Divisor::kLargest),
        by_near(is_small ? meeting.near : 1) {}

  int folds() const { return 1; }
  NOTAPE_HD int64_t place(int64_t i) const {
    if (meeting.far == 1) return i;
    const int64_t near = meeting.near,
                  run = is_small ? by_near.quotient(static_cast<uint32_t>(i)) : i / near;
    return run * meeting.kept * near + (i - run * near);
  }
  template <typename Team>
  NOTAPE_HD void operator()(int64_t i, const Team& team) const {
    const SharedRow<From, Team> row(nullptr, meeting.size(), 1, team);
    const int64_t start = meeting.start(i);
    const Total sum = sum_row<Total>(row, [&](int64_t k) { return read(start + place(k)); });
    const To value = divided<To>(sum, divisor);
    if (team.rank() == 0) result[i] = value;
  }
};

/// Sums over `far` of (outer, far, kept): a team reads `width` neighbouring columns of a part of
/// the rows, several rows at once. Its results are (outer, parts, kept).
template <typename From, typename To>
struct ColumnSums {
  using Total = Accumulator<From>;
  const From* self;
  To* result;
  int64_t far, kept;
  double divisor;
  int64_t parts;
  int width;  ///< at most the threads of a team

  int64_t across() const { return (kept + width - 1) / width; }
  /// Of `meeting`, whose near is 1, with as many parts as keep a GPU busy.
  static ColumnSums of(const From* self, To* result, const Meeting& meeting, double divisor,
                       int threads) {
    constexpr int64_t kEnough = 1024, kRowsOfThread = 8;
    const int width = static_cast<int>(meeting.kept < 32 ? meeting.kept : 32);
    ColumnSums sums{self, result, meeting.far, meeting.kept, divisor, 1, width};
    const int64_t most = meeting.far / (threads / width * kRowsOfThread);
    const int64_t wanted = kEnough / (meeting.outer * sums.across());
    sums.parts = wanted < most ? wanted : most;
    if (sums.parts < 2) sums.parts = 1;
    return sums;
  }

  template <typename Team>
  NOTAPE_HD void operator()(int64_t tile, const Team& team) const {
    const int64_t tiles = (kept + width - 1) / width;
    const int64_t part = tile / tiles % parts, outer = tile / tiles / parts;
    const int64_t rows = (far + parts - 1) / parts;
    const int64_t end = (part + 1) * rows < far ? (part + 1) * rows : far;
    const int rank = team.rank(), lane = rank / width, lanes = team.size() / width;
    const int64_t column = tile % tiles * width + rank % width;
    const bool is_inside = lane < lanes && column < kept;
    Total sum = 0;
    if (is_inside)
      for (int64_t row = part * rows + lane; row < end; row += lanes)
        sum += static_cast<Total>(self[(outer * far + row) * kept + column]);
    if (lanes > 1) {
      auto* const sums = static_cast<Total*>(team.scratch());
      sums[rank] = sum;
      team.sync();
      for (int left = lanes; left > 1;) {
        const int half = (left + 1) / 2;
        if (lane + half < left) sums[rank] += sums[rank + half * width];
        left = half;
        if (left > 1) team.sync();
      }
      sum = sums[rank];
      team.sync();  // before the next tile
    }
    if (is_inside && lane == 0)
      result[(outer * parts + part) * kept + column] = divided<To>(sum, divisor);
  }
};

}  // namespace notape::cuda
