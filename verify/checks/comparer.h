// Comparer: compares lists of numbers entry by entry and remembers the worst entry.
#pragma once
#include "verify/checks/subject.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {

/// Roundings, in units of the largest entry, that another order of adding up may cost. Of an
/// opaque function nobody knows the order or the number of terms: all entries, one after the other.
double roundings_of(const Subject& subject);

/// How far from their values entries of these sizes may be that have this noise: each as far as the
/// noisiest. What is not finite counts for nothing.
struct EntryRadius {
  EntryRadius(const Subject& subject, const Numbers& sizes, const Numbers& noise)
      : EntryRadius(subject.dtype, sizes, noise, roundings_of(subject)) {}
  EntryRadius(ScalarType dtype, const Numbers& sizes, const Numbers& noise)
      : EntryRadius(dtype, sizes, noise, rounding_factor(dtype)) {}
  EntryRadius(ScalarType dtype, const Numbers& sizes, const Numbers& noise, double roundings);

  double largest = 0;               ///< of the entries
  double rounding = 0, radius = 0;  ///< without and with what underflow may cost
  double scale = 0;                 ///< where terms cancel, their size is what the noise shows
};

class Comparer {
 public:
  /// A comparison that could miss a larger relative error than `power_gate` decides nothing.
  Comparer(ScalarType dtype, double power_gate) : dtype_(dtype), gate_(power_gate) {}
  /// What declared atomic adds may make of equal calls is allowed everywhere.
  explicit Comparer(const Subject& subject) : Comparer(subject.dtype, subject.power_gate()) {
    if (subject.atomic_terms() > 0) atomic_ = &subject;
  }

  /// Equal values; NaN equals NaN, and 0 equals -0. `radius` is for what underflow may cost.
  void same(const std::string& where, const std::vector<int64_t>& sizes, const Numbers& expected,
            const Numbers& got, Wide radius = 0);
  /// The value that the base run recorded, from a call that records less. Of users' functions
  /// within some roundings: singular values alone come from another algorithm than those with
  /// vectors.
  void same_value(const Subject& subject, const Numbers& got);
  /// |got - expected| <= radius, and the radius relative to `scale` becomes the power.
  void within(const std::string& where, const std::vector<int64_t>& sizes, std::size_t entry,
              Wide expected, double got, Wide radius, Wide scale);
  /// The gradients of two runs: definedness and values.
  void same_gradients(const Subject& subject, const Run& expected, const Run& got,
                      ArgumentMask active = kAllArguments, Wide radius = 0);

  void fail(Verdict verdict, std::string reason, std::string message);
  bool failed() const { return is_red(outcome_.verdict); }
  /// The outcome so far; `reason` and `message` are for wrong values.
  Outcome finish(std::string reason, std::string message);

 private:
  ScalarType dtype_;
  double gate_;
  const Subject* atomic_ = nullptr;
  Outcome outcome_;
  double worst_ = 0;
};

}  // namespace notape::verify
