// Teams of threads that fold and scan together: a block of a GPU, a thread of one alone, or, in
// tests, threads of the CPU. A team has
//   int rank(), size()     which of how many threads this is; a power of two of them
//   void sync()            all wait for all, and see what the others have written
//   void* scratch()        memory that they share, kScratch bytes for each
// Its threads call the same functions in the same order.
#pragma once
#include <cstdint>

#include "ops/core/device_function.h"

namespace notape {

inline constexpr int kScratch = 32;

/// A team of one, which needs no memory.
struct LoneThread {
  NOTAPE_HD int rank() const { return 0; }
  NOTAPE_HD int size() const { return 1; }
  NOTAPE_HD void sync() const {}
  NOTAPE_HD void* scratch() const { return nullptr; }
};

/// combine of the threads' values, in ascending order of rank, the same in all threads. combine is
/// associative but for rounding.
template <typename Team, typename Value, typename Combine>
NOTAPE_HD Value combine_in_team(const Team& team, Value mine, const Combine& combine) {
  static_assert(sizeof(Value) <= kScratch);
  if (team.size() == 1) return mine;
  auto* const values = static_cast<Value*>(team.scratch());
  const int rank = team.rank();
  values[rank] = mine;
  team.sync();
  for (int width = 1; width < team.size(); width *= 2) {
    if (rank % (2 * width) == 0) values[rank] = combine(values[rank], values[rank + width]);
    team.sync();
  }
  const Value all = values[0];
  team.sync();
  return all;
}

/// combine of the values of the threads before this one, `neutral` for the first.
template <typename Team, typename Value, typename Combine>
NOTAPE_HD Value combine_before(const Team& team, Value mine, Value neutral,
                               const Combine& combine) {
  static_assert(sizeof(Value) <= kScratch);
  if (team.size() == 1) return neutral;
  auto* const values = static_cast<Value*>(team.scratch());
  const int rank = team.rank();
  values[rank] = mine;
  team.sync();
  for (int distance = 1; distance < team.size(); distance *= 2) {
    const Value earlier = rank >= distance ? values[rank - distance] : neutral;
    team.sync();
    if (rank >= distance) values[rank] = combine(earlier, values[rank]);
    team.sync();
  }
  const Value before = rank == 0 ? neutral : values[rank - 1];
  team.sync();
  return before;
}

/// store(i, combine(load(0), ..., load(i))) for 0 <= i < n, of which each thread takes a run.
template <typename Team, typename Value, typename Load, typename Combine, typename Store>
NOTAPE_HD void scan(const Team& team, int64_t n, Value neutral, const Load& load,
                    const Combine& combine, const Store& store) {
  const int64_t run = (n + team.size() - 1) / team.size();
  const int64_t first = run * team.rank(), end = first + run < n ? first + run : n;
  Value value = neutral;
  if (team.size() > 1) {
    for (int64_t i = first; i < end; ++i) value = combine(value, load(i));
    value = combine_before(team, value, neutral, combine);
  }
  for (int64_t i = first; i < end; ++i) {
    value = combine(value, load(i));
    store(i, value);
  }
  team.sync();
}

/// A slice that the threads of a team fold together: what functors of reductions see on a GPU. All
/// threads get the result.
template <typename T, typename Team>
class SharedRow {
 public:
  using Element = T;

  /// Elements `step` apart.
  NOTAPE_HD SharedRow(const T* data, int64_t size, int64_t step, const Team& team)
      : data_(data), size_(size), step_(step), team_(team) {}

  NOTAPE_HD int64_t size() const { return size_; }
  NOTAPE_HD T operator[](int64_t i) const { return data_[i * step_]; }

  /// combine is associative and commutative but for rounding.
  template <typename Value, typename Load, typename Combine>
  NOTAPE_HD Value fold(Value neutral, const Load& load, const Combine& combine) const {
    Value mine = neutral;
    for (int64_t i = team_.rank(); i < size_; i += team_.size()) mine = combine(mine, load(i));
    return combine_in_team(team_, mine, combine);
  }
  /// visit(i) once for each place, by one of the threads.
  template <typename Visit>
  NOTAPE_HD void each(const Visit& visit) const {
    for (int64_t i = team_.rank(); i < size_; i += team_.size()) visit(i);
  }

 private:
  const T* data_;
  int64_t size_, step_;
  const Team& team_;
};

}  // namespace notape
