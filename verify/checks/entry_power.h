// EntryPower: how large an error every entry of a gradient could hide, from comparisons along
// directions, which each see many entries at once. A small entry beside large ones, or one where
// the function is flat, may have been seen by none. The power of a check is its worst entry's.
#pragma once
#include "verify/checks/argument_entry.h"
#include "verify/numeric/judgement.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {

/// A comparison along a direction that found nothing wrong.
struct Seen {
  double hidden = 0;    ///< an error of that size in the directional derivative could have passed
  double relative = 0;  ///< the same relative to the derivative
  bool flat = false;    ///< the value stands still
};

class EntryPower {
 public:
  /// Of the gradient of the subject.
  explicit EntryPower(const Subject& subject);
  /// Of another derivative by the same entries; it is passed to seen().
  static EntryPower of_other_derivative(const Subject& subject);

  /// The gradient was found right along u.
  void seen(const Direction& u, const Seen& seen);
  /// Another derivative, with these entries.
  void seen(const Direction& u, const Seen& seen, const std::vector<Numbers>& entries);
  /// It was compared along u, and an error of that size in the derivative could have been hidden.
  void compared(const Direction& u, double detectable);
  /// Entries whose own relative error could have been larger than `power` in everything seen yet,
  /// of those that have not been judged alone; the worst first.
  std::vector<ArgumentEntry> unseen(double power) const;
  /// Directions along the first kMostAlone of these, one by one.
  std::vector<Direction> unseen_alone(const DrawnCase& drawn, double power) const;
  /// The relative error that the worst entry could hide, of those that some comparison has seen. Of
  /// an entry that is flat beside others, below a hundredth of the largest, it is relative to that
  /// hundredth: where there is a reference such entries are compared alone, but to fewer digits.
  double worst() const;
  /// After entries have been compared alone, too: the counts are those of `before`, and the power
  /// is that of the worst entry.
  void keep_counts(const Outcome& before, Outcome& outcome) const;
  /// What was not seen to within `power`. The rest's worst power becomes the outcome's, and no
  /// comparison counts as undecided any more if what could hide in the unseen ones is small beside
  /// the gradient; else all do. Entries that were part of no comparison do not count.
  void conclude(double power, Outcome& outcome) const;

 private:
  struct Entry {
    ArgumentEntry at;
    double slope;              ///< as claimed
    double power = HUGE_VAL;   ///< relative to that
    double hidden = HUGE_VAL;  ///< the same as a slope
    double relative = 0;       ///< of the comparison that saw most
    bool alone = false, flat = false, moved = false;
  };
  EntryPower() = default;
  double steepest() const;
  static bool is_unseen(const Entry& entry, double power, double steepest);
  void add_entries(const Subject& subject, const std::vector<Numbers>& slopes);
  template <typename F>
  void for_each(const Direction& u, const F& f);
  void note(Entry& entry, double step, const Seen& seen, double slope, double least);

  std::vector<Entry> entries_;
  int64_t immovable_ = 0;
};

}  // namespace notape::verify
