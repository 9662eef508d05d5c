// Rounding modes: what the roundings inside a function do to its values. A function that is only
// there as compiled code rounds intermediates that nobody sees: 1 + tanh(x), 1 - p, float(x). Its
// value then is a staircase, and may stand still though every formula moves. Run once more with all
// roundings up, down and toward zero, its result shows how high the stairs are.
#pragma once
#include <functional>

#include "autograd/tensor/device.h"
#include "verify/numeric/direction.h"

namespace notape::verify {

/// While it lives, this thread rounds that way, and operators run on this thread alone.
class RoundingMode {
 public:
  explicit RoundingMode(int mode);
  ~RoundingMode();
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int mode_, threads_;
};

/// Whether a division by an operator on that device follows the mode: not on a GPU, for instance.
bool modes_reach(Device device);

/// By how much each entry of `entries()` differs between the modes, `nearest` being what it is as
/// usual. Empty if there is no telling: it throws, or gives another number of entries. An entry
/// that is no number is 0.
Numbers spread_over_modes(const std::function<Numbers()>& entries, const Numbers& nearest);

}  // namespace notape::verify
