// EntryPower: how large an error every entry of a gradient could hide, from comparisons along
// directions, which each see many entries at once. A small entry beside large ones, or one where
// the function is flat, may have been seen by none.
#pragma once
#include "verify/checks/lane.h"
#include "verify/numeric/judgement.h"

namespace notape::verify {

class EntryPower {
 public:
  explicit EntryPower(const Subject& subject);

  /// The gradient was found right along u.
  void seen(const Direction& u, const Judgement& judgement);
  /// It was compared along u, and an error of that size in the derivative could have been hidden.
  void compared(const Direction& u, double detectable);
  /// Entries whose own relative error could have been larger than `power` in everything seen yet,
  /// of those that have not been judged alone.
  std::vector<Lane> unseen(double power) const;
  /// What was not seen to within `power`. The rest's worst power becomes the outcome's, and no
  /// comparison counts as undecided any more if what could hide in the unseen ones is small beside
  /// the gradient; else all do.
  void conclude(double power, Outcome& outcome) const;

 private:
  struct Entry {
    Lane lane;
    double slope;              ///< as claimed
    double power = HUGE_VAL;   ///< relative to that
    double hidden = HUGE_VAL;  ///< the same as a slope
    bool alone = false, flat = false;
  };
  template <typename F>
  void for_each(const Direction& u, const F& f);

  std::vector<Entry> entries_;
  int64_t immovable_ = 0;
};

}  // namespace notape::verify
