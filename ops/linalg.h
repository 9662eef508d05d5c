// Products of vectors and matrices. Operands need one floating (or one integer) dtype (DtypeError)
// and fitting shapes (ShapeError, naming them). All are members of Tensor.
#pragma once
#include "ops/at.h"

namespace notape {

/// (n, k) x (k, m) -> (n, m)
Tensor mm(const Tensor& self, const Tensor& mat2, At at = At::current());
/// (b, n, k) x (b, k, m) -> (b, n, m)
Tensor bmm(const Tensor& self, const Tensor& mat2, At at = At::current());
/// NumPy's matmul: 1-d operands are rows or columns, more dimensions are broadcast batches.
Tensor matmul(const Tensor& self, const Tensor& other, At at = At::current());
/// beta self + alpha mat1 mat2; self broadcasts to (n, m).
Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1,
             Scalar alpha = 1, At at = At::current());
Tensor& addmm_(Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1,
               Scalar alpha = 1, At at = At::current());
/// (n) . (n) -> ()
Tensor dot(const Tensor& self, const Tensor& other, At at = At::current());
/// (n), (m) -> (n, m). Promotes dtypes, as mul does.
Tensor outer(const Tensor& self, const Tensor& vec2, At at = At::current());

}  // namespace notape
