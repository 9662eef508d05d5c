// Inverses for formulas that divide by the determinant anyway.
#pragma once
#include "ops/at.h"

namespace notape {

enum class Singular : uint8_t {
  Refused,   ///< LinalgError
  Divergent  ///< no error; its inverse has infinite or NaN entries
};
/// linalg_inv of matrices of which some may be singular.
Tensor inverse(const Tensor& self, Singular singular, At at = At::current());

}  // namespace notape
