// The curve that huber_loss and smooth_l1_loss share.
#pragma once
#include "ops/at.h"

namespace notape {

class Operation;

/// scale (z^2 / 2 where |z| < delta, else delta (|z| - delta / 2)), entry by entry;  d/dz = scale
/// clamp(z, -delta, delta).
Tensor huber_curve(const Operation& op, const Tensor& z, double delta, double scale);

}  // namespace notape
