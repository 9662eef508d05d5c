// What all and any share: the smallest and the largest of truths.
#pragma once
#include "ops/reduce/extremum.h"

namespace notape {

Tensor truth_over(const Operation& op, const Tensor& self, IntArrayRef dim, bool keepdim,
                  Extreme which);

}  // namespace notape
