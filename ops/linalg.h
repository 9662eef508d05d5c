// Products of vectors and matrices. All are members of Tensor.
// Operands need one dtype (DtypeError) and fitting shapes (ShapeError, naming them); outer
// promotes. Integers are multiplied as they are and wrap around; bool: NoKernel. A sum of no
// products is 0.
// All throw UndefinedTensor and DeviceError. G is the gradient of the result.
#pragma once
#include "ops/at.h"

namespace notape {

/// (n, k) x (k, m) -> (n, m), the matrix product A B;  dA = G B^T,  dB = A^T G.
Tensor mm(const Tensor& self, const Tensor& mat2, At at = At::current());
/// (b, n, k) x (b, k, m) -> (b, n, m): mm of each pair. The batches do not broadcast.
Tensor bmm(const Tensor& self, const Tensor& mat2, At at = At::current());
/// NumPy's matmul: (..., n, k) x (..., k, m) -> (..., n, m) with broadcast batches; a 1-d operand
/// is a row on the left, a column on the right, and leaves no dimension. Made of mm, bmm and dot,
/// which carry the derivatives. Throws ShapeError for a 0-d operand.
Tensor matmul(const Tensor& self, const Tensor& other, At at = At::current());
/// beta self + alpha mat1 mat2 for (n, k) x (k, m); self broadcasts to (n, m), in place it has that
/// shape. With beta = 0 self is not read, NaN or not;  dself = beta G,  dmat1 = alpha G mat2^T,
/// dmat2 = alpha mat1^T G. Throws DtypeError for floating factors of integers.
Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1,
             Scalar alpha = 1, At at = At::current());
Tensor& addmm_(Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1,
               Scalar alpha = 1, At at = At::current());
/// (n) . (n) -> (), the sum of a_i b_i;  da = g b,  db = g a.
Tensor dot(const Tensor& self, const Tensor& other, At at = At::current());
/// (n), (m) -> (n, m), y_ij = a_i b_j. Made of mul, which promotes and carries the derivative.
Tensor outer(const Tensor& self, const Tensor& vec2, At at = At::current());

}  // namespace notape
