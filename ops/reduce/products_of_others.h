// products_of_others(x, dim)[i] = the product of all x[j], j != i, along a dimension: the gradient
// of prod. It divides by nothing, so zeros need no special case, and has derivatives of every
// order.
#pragma once
#include "ops/at.h"

namespace notape {

/// x of floating dtype, 0 <= dim. Internal: arguments are not checked.
Tensor products_of_others(const Tensor& self, int64_t dim, At at = At::current());

}  // namespace notape
