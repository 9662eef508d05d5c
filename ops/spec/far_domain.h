// Where an operator saturates, underflows or overflows is worth a visit, but most cases belong to
// ordinary numbers. (Numbers of every size there are: the check `tails` of verify/.)
#pragma once
#include "ops/spec/op_spec.h"

namespace notape {

/// `ordinary`, and in one of four cases `far`, if there is one. The simplest case is ordinary.
inline Domain near_or_far(Draw& draw, const Domain& ordinary, const std::optional<Domain>& far) {
  return far && draw.integer(0, 3) == 3 ? *far : ordinary;
}

/// Ends for what is defined for positive numbers: their cubes are numbers in float32, too.
inline constexpr double kFarLow = 0x1p-40, kFarHigh = 0x1p40;

}  // namespace notape
