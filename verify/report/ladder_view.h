// A step ladder as it is drawn: error against step, both as logarithms.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "verify/checks/evidence.h"

namespace notape::verify {

/// Decimal logarithms of sizes, one per level; none for 0 and for what is not finite.
using LogSizes = std::vector<std::optional<double>>;

struct LadderView {
  std::vector<int> levels;         ///< steps of 2^-level
  LogSizes quotient;               ///< |D - N|, with N the numeric leg
  LogSizes extrapolated;           ///< |R - N|
  LogSizes estimate;               ///< e, the ladder's own estimate
  std::optional<double> distance;  ///< from the leg under test to N
  std::optional<double> radius;    ///< how far it may be
  double low = 0, high = 0;        ///< whole powers of ten around everything
};

/// Empty if there is no numeric leg or no ladder.
std::optional<LadderView> ladder_view(const Evidence& evidence);
/// The leg of this name, if there is one with a value.
const Leg* find_leg(const Evidence& evidence, std::string_view name);

/// A picture of letters, a line break after each line.
std::string ladder_text(const LadderView& view, const std::string& under_test);

}  // namespace notape::verify
