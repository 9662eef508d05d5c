// Rounding modes: what the roundings inside a function do to its values. A function that is only
// there as compiled code rounds intermediates that nobody sees: 1 + tanh(x), 1 - p, float(x). Its
// value then is a staircase, and may stand still though every formula moves. Run once more with all
// roundings up, down and toward zero, its result shows how high the stairs are.
#pragma once
#include <functional>
#include <string>

#include "autograd/tensor/device.h"
#include "verify/numeric/direction.h"
#include "verify/numeric/library_threads.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {

/// While it lives, this thread rounds that way, and operators, OpenBLAS and OpenMP run on this
/// thread alone: others would round to nearest.
class RoundingMode {
 public:
  explicit RoundingMode(int mode);
  ~RoundingMode();
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  OneThreadOnly libraries_;
  int mode_, threads_;
};

/// While it lives, this thread has no other modes: what it calls would not survive them (an
/// interpreter), or never sees them.
class NoRoundingModes {
 public:
  NoRoundingModes() noexcept;
  ~NoRoundingModes();
  NoRoundingModes(const NoRoundingModes&) = delete;
  NoRoundingModes& operator=(const NoRoundingModes&) = delete;
};

/// Whether a division by an operator on that device follows the mode: not on a GPU, for instance.
bool modes_reach(Device device);

/// What the certificate says of it: that modes were had, or what stands in for them.
std::string modes_text(Device device);

/// By how much each entry of `entries()` differs between the modes, `nearest` being what it is as
/// usual. Infinite where it is a number in nearest mode only; 0 for what is no number in that,
/// either. Empty if there is no telling: it throws, or gives another number of entries.
Numbers spread_over_modes(const std::function<Numbers()>& entries, const Numbers& nearest);

}  // namespace notape::verify
