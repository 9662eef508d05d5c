// Products with either factor transposed: a family closed under differentiation, so derivatives of
// mm, bmm and addmm need no transposing views.
//   C = A B:  dA = G B^T,  dB = A^T G;  with A given transposed, d(A^T) = B G^T, and so on.
#pragma once
#include "ops/at.h"

namespace notape {

/// Which factors enter transposed (in their last two dimensions).
struct Transposed {
  bool first = false, second = false;
};

/// mm of matrices.
Tensor mm(const Tensor& a, const Tensor& b, Transposed transposed, At at = At::current());
/// bmm of batches.
Tensor bmm(const Tensor& a, const Tensor& b, Transposed transposed, At at = At::current());

}  // namespace notape
