// Noise tables: how far rounding errors scatter the values of a function of one variable, from the
// values alone. (J. More, S. Wild: "Estimating computational noise", SIAM J. Sci. Comput. 33,
// 2011.)
#pragma once
#include <functional>

#include "verify/numeric/local_shape.h"

namespace notape::verify {

struct TableNoise {
  double noise = 0;
  /// Whether most values differ from their neighbours. A window in which half of them are equal
  /// shows one stair of a staircase, on which there is no noise, whatever the height.
  bool resolved = false;
};
/// From nine values 2^-spacing apart on either side, phi(0) = here among them: of the quieter side,
/// so that a kink there or nearby passes for no noise. `scale` is the size of values.
TableNoise table_noise(const std::function<Wide(Wide)>& phi, Wide here, int spacing, Wide scale);

/// Values that stand still in small steps have been rounded on the way: the height of the lowest
/// stair that larger steps see. 0 if they do not stand still.
Wide stair_of(const Samples& samples);
/// Whether values stand still elsewhere, too, where larger steps have moved them: then they are a
/// staircase, and no flat piece that ends there.
bool is_staircase(const std::function<Wide(Wide)>& phi, const Samples& samples);

}  // namespace notape::verify
