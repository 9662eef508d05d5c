// Several teams that work at one slice, where slices are few and long: a block would leave most of
// a GPU idle. Teams of one launch cannot wait for one another. So the work is launched once for
// each of its folds and once more, and meets between launches: in pass p each team keeps fold p of
// its part of the slice, while the folds before p are combined of what all have kept. What comes
// after fold p counts in the last pass only. The parts and the order in which they are combined
// depend on sizes alone, so the bits are the same each time.
#pragma once
#include "ops/reduce/team.h"

namespace notape {

/// How many teams work at each of `count` slices of `size` elements.
constexpr int teams_for_slice(int64_t count, int64_t size) {
  constexpr int64_t kFewest = 4, kMost = 256, kPart = 8192, kEnough = 1024;
  if (count <= 0 || size < kFewest * kPart) return 1;
  int64_t teams = size / kPart < kMost ? size / kPart : kMost;
  if (teams > kEnough / count) teams = kEnough / count;
  return teams < kFewest ? 1 : static_cast<int>(teams);
}

/// The launches of a work by `teams` teams at each slice.
struct Passes {
  int teams, folds;
  char* kept = nullptr;  ///< see bytes()
  int pass = 0;

  bool is_last() const { return pass == folds; }
  int64_t bytes(int64_t count) const { return count * teams * folds * kScratch; }
};

/// One of the teams in one pass. Functions of the slices that it takes part in say how often they
/// fold:  int folds() const  (of the kernel's functors,  template <typename T> int folds() const).
template <typename Team>
class TeamOfSeveral {
 public:
  NOTAPE_HD TeamOfSeveral(const Team& team, const Passes& passes, int64_t slice, int part)
      : team_(team),
        kept_(passes.kept + slice * passes.folds * passes.teams * kScratch),
        part_(part),
        parts_(passes.teams),
        pass_(passes.pass),
        is_last_(passes.pass == passes.folds) {}

  /// 0 for one thread in the last pass: who may write the result.
  NOTAPE_HD int rank() const { return is_last_ ? part_ * team_.size() + team_.rank() : 1; }

  template <typename Value, typename Load, typename Combine>
  NOTAPE_HD Value fold(int64_t size, Value neutral, const Load& load,
                       const Combine& combine) const {
    static_assert(sizeof(Value) <= kScratch);
    const int fold = folds_++;
    if (fold > pass_) return neutral;
    char* const kept = kept_ + static_cast<int64_t>(fold) * parts_ * kScratch;
    Value mine = neutral;
    if (fold < pass_) {
      for (int i = team_.rank(); i < parts_; i += team_.size())
        mine = combine(mine, *reinterpret_cast<const Value*>(kept + i * kScratch));
      return combine_in_team(team_, mine, combine);
    }
    for_part(size, [&](int64_t i) { mine = combine(mine, load(i)); });
    mine = combine_in_team(team_, mine, combine);
    if (team_.rank() == 0) *reinterpret_cast<Value*>(kept + part_ * kScratch) = mine;
    return mine;
  }
  template <typename Visit>
  NOTAPE_HD void each(int64_t size, const Visit& visit) const {
    if (is_last_) for_part(size, visit);
  }

 private:
  template <typename Visit>
  NOTAPE_HD void for_part(int64_t size, const Visit& visit) const {
    const int64_t run = (size + parts_ - 1) / parts_, first = run * part_;
    const int64_t end = first + run < size ? first + run : size;
    for (int64_t i = first + team_.rank(); i < end; i += team_.size()) visit(i);
  }

  const Team& team_;
  char* kept_;
  int part_, parts_, pass_;
  bool is_last_;
  mutable int folds_ = 0;
};

/// What functors see of a slice that several teams fold.
template <typename T, typename Team>
class SharedRow<T, TeamOfSeveral<Team>> {
 public:
  using Element = T;

  NOTAPE_HD SharedRow(const T* data, int64_t size, int64_t step, const TeamOfSeveral<Team>& team)
      : data_(data), size_(size), step_(step), team_(team) {}

  NOTAPE_HD int64_t size() const { return size_; }
  NOTAPE_HD T operator[](int64_t i) const { return data_[i * step_]; }

  template <typename Value, typename Load, typename Combine>
  NOTAPE_HD Value fold(Value neutral, const Load& load, const Combine& combine) const {
    return team_.fold(size_, neutral, load, combine);
  }
  template <typename Visit>
  NOTAPE_HD void each(const Visit& visit) const {
    team_.each(size_, visit);
  }

 private:
  const T* data_;
  int64_t size_, step_;
  const TeamOfSeveral<Team>& team_;
};

}  // namespace notape
