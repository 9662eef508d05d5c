// The determinant and its derivative, of singular matrices, too.
#pragma once
#include "autograd/observer.h"
#include "ops/at.h"

namespace notape {

/// The diagonal of U in P A = L U, and the sign of P, (.., n) and (..): the determinant is the
/// product of all. No vmap, no graph.
struct LuDiagonal {
  Tensor diagonal, sign;
};
LuDiagonal lu_diagonal(const Operation& op, const Tensor& self);

/// The cofactors C_ij = (-1)^(i+j) det(A without row i and column j), so det(A) A^-T where there is
/// one: the derivative of the determinant by A_ij.
Tensor cofactors(const Tensor& self, At at = At::current());

}  // namespace notape
