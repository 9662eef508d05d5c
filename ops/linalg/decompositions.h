// Decompositions of matrices and systems of equations: the slots of what LAPACK computes, and what
// operators make of it. Matrices of slots are (count, rows, columns), column-major and side by side
// (allocate_columns), of float32 or float64; vectors are (count, size), row-major.
#pragma once
#include "ops/core/kernel_slot.h"

namespace notape {

/// For each matrix 0, as it is before, or what LAPACK says of it where something is wrong; int32.
using Infos = const Tensor&;

/// Overwrites the matrices by L below the diagonal and U from it on, with P A = L U. signs:
/// (count), the determinant of P. Singular matrices are no error.
using LuKernel = Kernel<void(const Operation&, const Tensor& matrices, const Tensor& signs)>;
extern LuKernel lu_kernel;

/// Overwrites right by the X of A X = right, and the matrices by anything. Info i > 0: the i-th
/// diagonal element of U is zero, and X is not finite.
using SolveKernel =
    Kernel<void(const Operation&, const Tensor& matrices, const Tensor& right, Infos)>;
extern SolveKernel solve_kernel;

/// Which entries of a triangular matrix count.
struct Triangle {
  bool upper;
  bool unitriangular;  ///< ones on the diagonal, which is not read
};
/// Overwrites right by the X of A X = right.
using TriangularSolveKernel =
    Kernel<void(const Operation&, const Tensor& matrices, const Tensor& right, Triangle)>;
extern TriangularSolveKernel triangular_solve_kernel;

/// Overwrites symmetric matrices, of which the lower triangle is read, by L with L L^T = A, zeros
/// above it. Info i > 0: the leading minor of order i is not positive.
using CholeskyKernel = Kernel<void(const Operation&, const Tensor& matrices, Infos)>;
extern CholeskyKernel cholesky_kernel;

/// Overwrites matrices (count, m, n) by R in their upper triangle, and q (count, m, k), where it is
/// defined, by the first k <= m columns of Q. k >= min(m, n).
using QrKernel = Kernel<void(const Operation&, const Tensor& matrices, const Tensor& q)>;
extern QrKernel qr_kernel;

/// Overwrites symmetric matrices, of which the lower triangle is read, by the eigenvectors, or by
/// anything if they are not wanted, and values (count, n) by the eigenvalues, ascending. Info > 0:
/// no convergence.
using EighKernel = Kernel<void(const Operation&, const Tensor& matrices, const Tensor& values,
                               bool vectors, Infos)>;
extern EighKernel eigh_kernel;

/// Overwrites u (count, m, p), s (count, min(m, n)) and vh (count, q, n), p and q both full or both
/// min(m, n), and the matrices (count, m, n) by anything. Without u and vh defined, s alone. Info >
/// 0: no convergence; < 0: entries are not finite.
using SvdKernel = Kernel<void(const Operation&, const Tensor& matrices, const Tensor& u,
                              const Tensor& s, const Tensor& vh, Infos)>;
extern SvdKernel svd_kernel;

}  // namespace notape
