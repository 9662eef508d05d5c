// Products and decompositions of matrices.
#pragma once
#include <string_view>
#include <tuple>

#include "ops/at.h"

namespace notape {

/// Of the result's dtype, exactly.
Tensor& mm_out(Tensor& out, const Tensor& self, const Tensor& mat2, At at = At::current());
Tensor& bmm_out(Tensor& out, const Tensor& self, const Tensor& mat2, At at = At::current());
Tensor& matmul_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& mv_out(Tensor& out, const Tensor& self, const Tensor& vec, At at = At::current());
Tensor& dot_out(Tensor& out, const Tensor& self, const Tensor& tensor, At at = At::current());
Tensor& addmm_out(Tensor& out, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                  Scalar beta = 1, Scalar alpha = 1, At at = At::current());
Tensor& addmv_out(Tensor& out, const Tensor& self, const Tensor& mat, const Tensor& vec,
                  Scalar beta = 1, Scalar alpha = 1, At at = At::current());
Tensor& baddbmm_out(Tensor& out, const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                    Scalar beta = 1, Scalar alpha = 1, At at = At::current());
Tensor& linear_out(Tensor& out, const Tensor& input, const Tensor& weight, const Tensor& bias = {},
                   At at = At::current());
Tensor& tensordot_out(Tensor& out, const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                      IntArrayRef dims_other, At at = At::current());
Tensor& linalg_cross_out(Tensor& out, const Tensor& self, const Tensor& other, Integer dim = -1,
                         At at = At::current());
Tensor& linalg_inv_out(Tensor& out, const Tensor& A, At at = At::current());
Tensor& inverse_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& linalg_solve_out(Tensor& out, const Tensor& A, const Tensor& B, bool left = true,
                         At at = At::current());
Tensor& linalg_solve_triangular_out(Tensor& out, const Tensor& self, const Tensor& B, bool upper,
                                    bool left = true, bool unitriangular = false,
                                    At at = At::current());
Tensor& linalg_cholesky_out(Tensor& out, const Tensor& self, bool upper = false,
                            At at = At::current());
Tensor& linalg_det_out(Tensor& out, const Tensor& A, At at = At::current());
Tensor& linalg_eigvalsh_out(Tensor& out, const Tensor& self, std::string_view UPLO = "L",
                            At at = At::current());
Tensor& linalg_svdvals_out(Tensor& out, const Tensor& A, At at = At::current());
/// The same, but converted where an operand is 0-d.
Tensor& inner_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
/// Converted.
Tensor& outer_out(Tensor& out, const Tensor& self, const Tensor& vec2, At at = At::current());
Tensor& kron_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
/// Several results, each of its dtype exactly.
std::tuple<Tensor&, Tensor&> linalg_slogdet_out(Tensor& sign, Tensor& logabsdet, const Tensor& A,
                                                At at = At::current());
std::tuple<Tensor&, Tensor&> slogdet_out(Tensor& sign, Tensor& logabsdet, const Tensor& self,
                                         At at = At::current());
std::tuple<Tensor&, Tensor&> linalg_qr_out(Tensor& Q, Tensor& R, const Tensor& A,
                                           std::string_view mode = "reduced",
                                           At at = At::current());
std::tuple<Tensor&, Tensor&> linalg_eigh_out(Tensor& eigvals, Tensor& eigvecs, const Tensor& self,
                                             std::string_view UPLO = "L", At at = At::current());
std::tuple<Tensor&, Tensor&, Tensor&> linalg_svd_out(Tensor& U, Tensor& S, Tensor& Vh,
                                                     const Tensor& A, bool full_matrices = true,
                                                     At at = At::current());

}  // namespace notape
