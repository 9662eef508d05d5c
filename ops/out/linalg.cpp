// Products and decompositions of matrices.
#include "ops/out/linalg.h"

#include "ops/linalg.h"
#include "ops/out/detail/write_out.h"

namespace notape {

Tensor& mm_out(Tensor& out, const Tensor& self, const Tensor& mat2, At at) {
  return out_of("mm_out", at, out, {&self, &mat2}, Fit::Exact, [&] { return mm(self, mat2, at); });
}
Tensor& bmm_out(Tensor& out, const Tensor& self, const Tensor& mat2, At at) {
  return out_of("bmm_out", at, out, {&self, &mat2}, Fit::Exact,
                [&] { return bmm(self, mat2, at); });
}
Tensor& matmul_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("matmul_out", at, out, {&self, &other}, Fit::Exact,
                [&] { return matmul(self, other, at); });
}
Tensor& mv_out(Tensor& out, const Tensor& self, const Tensor& vec, At at) {
  return out_of("mv_out", at, out, {&self, &vec}, Fit::Exact, [&] { return mv(self, vec, at); });
}
Tensor& dot_out(Tensor& out, const Tensor& self, const Tensor& tensor, At at) {
  return out_of("dot_out", at, out, {&self, &tensor}, Fit::Exact,
                [&] { return dot(self, tensor, at); });
}
Tensor& inner_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("inner_out", at, out, {&self, &other},
                exact_unless_number(self.defined() && self.dim() == 0 ? self : other),
                [&] { return inner(self, other, at); });
}
Tensor& addmm_out(Tensor& out, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                  Scalar beta, Scalar alpha, At at) {
  return out_of("addmm_out", at, out, {&self, &mat1, &mat2}, Fit::Exact,
                [&] { return addmm(self, mat1, mat2, beta, alpha, at); });
}
Tensor& addmv_out(Tensor& out, const Tensor& self, const Tensor& mat, const Tensor& vec,
                  Scalar beta, Scalar alpha, At at) {
  return out_of("addmv_out", at, out, {&self, &mat, &vec}, Fit::Exact,
                [&] { return addmv(self, mat, vec, beta, alpha, at); });
}
Tensor& baddbmm_out(Tensor& out, const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                    Scalar beta, Scalar alpha, At at) {
  return out_of("baddbmm_out", at, out, {&self, &batch1, &batch2}, Fit::Exact,
                [&] { return baddbmm(self, batch1, batch2, beta, alpha, at); });
}
Tensor& linear_out(Tensor& out, const Tensor& input, const Tensor& weight, const Tensor& bias,
                   At at) {
  return out_of("linear_out", at, out, {&input, &weight, &bias}, Fit::Exact,
                [&] { return linear(input, weight, bias, at); });
}
Tensor& tensordot_out(Tensor& out, const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                      IntArrayRef dims_other, At at) {
  return out_of("tensordot_out", at, out, {&self, &other}, Fit::Exact,
                [&] { return tensordot(self, other, dims_self, dims_other, at); });
}
Tensor& linalg_cross_out(Tensor& out, const Tensor& self, const Tensor& other, Integer dim, At at) {
  return out_of("linalg_cross_out", at, out, {&self, &other}, Fit::Exact,
                [&] { return linalg_cross(self, other, dim, at); });
}
Tensor& linalg_inv_out(Tensor& out, const Tensor& A, At at) {
  return out_of("linalg_inv_out", at, out, {&A}, Fit::Exact, [&] { return linalg_inv(A, at); });
}
Tensor& inverse_out(Tensor& out, const Tensor& self, At at) {
  return out_of("inverse_out", at, out, {&self}, Fit::Exact, [&] { return inverse(self, at); });
}
Tensor& linalg_solve_out(Tensor& out, const Tensor& A, const Tensor& B, bool left, At at) {
  return out_of("linalg_solve_out", at, out, {&A, &B}, Fit::Exact,
                [&] { return linalg_solve(A, B, left, at); });
}
Tensor& linalg_solve_triangular_out(Tensor& out, const Tensor& self, const Tensor& B, bool upper,
                                    bool left, bool unitriangular, At at) {
  return out_of("linalg_solve_triangular_out", at, out, {&self, &B}, Fit::Exact,
                [&] { return linalg_solve_triangular(self, B, upper, left, unitriangular, at); });
}
Tensor& linalg_cholesky_out(Tensor& out, const Tensor& self, bool upper, At at) {
  return out_of("linalg_cholesky_out", at, out, {&self}, Fit::Exact,
                [&] { return linalg_cholesky(self, upper, at); });
}
Tensor& linalg_det_out(Tensor& out, const Tensor& A, At at) {
  return out_of("linalg_det_out", at, out, {&A}, Fit::Exact, [&] { return linalg_det(A, at); });
}
Tensor& linalg_eigvalsh_out(Tensor& out, const Tensor& self, std::string_view UPLO, At at) {
  return out_of("linalg_eigvalsh_out", at, out, {&self}, Fit::Exact,
                [&] { return linalg_eigvalsh(self, UPLO, at); });
}
Tensor& linalg_svdvals_out(Tensor& out, const Tensor& A, At at) {
  return out_of("linalg_svdvals_out", at, out, {&A}, Fit::Exact,
                [&] { return linalg_svdvals(A, at); });
}
Tensor& outer_out(Tensor& out, const Tensor& self, const Tensor& vec2, At at) {
  return out_of("outer_out", at, out, {&self, &vec2}, Fit::Converted,
                [&] { return outer(self, vec2, at); });
}
Tensor& kron_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("kron_out", at, out, {&self, &other}, Fit::Converted,
                [&] { return kron(self, other, at); });
}
std::tuple<Tensor&, Tensor&> linalg_slogdet_out(Tensor& sign, Tensor& logabsdet, const Tensor& A,
                                                At at) {
  return outs_of("linalg_slogdet_out", at, std::tie(sign, logabsdet), {&A}, Fit::Exact,
                 [&] { return linalg_slogdet(A, at); });
}
std::tuple<Tensor&, Tensor&> slogdet_out(Tensor& sign, Tensor& logabsdet, const Tensor& self,
                                         At at) {
  return outs_of("slogdet_out", at, std::tie(sign, logabsdet), {&self}, Fit::Exact,
                 [&] { return slogdet(self, at); });
}
std::tuple<Tensor&, Tensor&> linalg_qr_out(Tensor& Q, Tensor& R, const Tensor& A,
                                           std::string_view mode, At at) {
  return outs_of("linalg_qr_out", at, std::tie(Q, R), {&A}, Fit::Exact,
                 [&] { return linalg_qr(A, mode, at); });
}
std::tuple<Tensor&, Tensor&> linalg_eigh_out(Tensor& eigvals, Tensor& eigvecs, const Tensor& self,
                                             std::string_view UPLO, At at) {
  return outs_of("linalg_eigh_out", at, std::tie(eigvals, eigvecs), {&self}, Fit::Exact,
                 [&] { return linalg_eigh(self, UPLO, at); });
}
std::tuple<Tensor&, Tensor&, Tensor&> linalg_svd_out(Tensor& U, Tensor& S, Tensor& Vh,
                                                     const Tensor& A, bool full_matrices, At at) {
  return outs_of("linalg_svd_out", at, std::tie(U, S, Vh), {&A}, Fit::Exact,
                 [&] { return linalg_svd(A, full_matrices, at); });
}

}  // namespace notape
