#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions linalg_functions([](Functions& f) {
  f("mm", mm, mm_out);
  f("bmm", bmm, bmm_out);
  f("matmul", matmul, matmul_out);
  f("addmm", addmm, addmm_, addmm_out);
  f("dot", dot, dot_out);
  f("outer", outer, outer_out);
  f("mv", mv, mv_out);
  f("addmv", addmv, addmv_, addmv_out);
  f("baddbmm", baddbmm, baddbmm_, baddbmm_out);
  f("linear", linear, linear_out);
  f("einsum", einsum);
  f("tensordot", tensordot, tensordot_out);
  f("bilinear", bilinear);
  f("linalg_cross", linalg_cross, linalg_cross_out);
  f("scaled_dot_product_attention", scaled_dot_product_attention);
  f("multi_head_attention_forward", multi_head_attention_forward);
  f("inner", inner, inner_out);
  f("kron", kron, kron_out);
  f("linalg_inv", linalg_inv, linalg_inv_out);
  f("inverse", inverse, inverse_out);
  f("linalg_solve", linalg_solve, linalg_solve_out);
  f("linalg_solve_triangular", linalg_solve_triangular, linalg_solve_triangular_out);
  f("linalg_cholesky", linalg_cholesky, linalg_cholesky_out);
  f("cholesky", cholesky);
  f("linalg_det", linalg_det, linalg_det_out);
  f("det", det);
  f("linalg_slogdet", linalg_slogdet, linalg_slogdet_out);
  f("slogdet", slogdet, slogdet_out);
  f("logdet", logdet);
  f("linalg_qr", linalg_qr, linalg_qr_out);
  f("linalg_eigh", linalg_eigh, linalg_eigh_out);
  f("linalg_eigvalsh", linalg_eigvalsh, linalg_eigvalsh_out);
  f("linalg_svd", linalg_svd);
  f("linalg_svd_out", linalg_svd_out);
  f("linalg_svdvals", linalg_svdvals, linalg_svdvals_out);
});

}  // namespace
}  // namespace notape::functions
