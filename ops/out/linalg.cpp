#include "ops/out/linalg.h"

#include "ops/linalg.h"
#include "ops/out/detail/write_out.h"

namespace notape {

O mm_out(O out, X self, X mat2, At at) { return exact(out, at)(mm, self, mat2); }
O bmm_out(O out, X self, X mat2, At at) { return exact(out, at)(bmm, self, mat2); }
O matmul_out(O out, X self, X other, At at) { return exact(out, at)(matmul, self, other); }
O mv_out(O out, X self, X vec, At at) { return exact(out, at)(mv, self, vec); }
O dot_out(O out, X self, X tensor, At at) { return exact(out, at)(dot, self, tensor); }
O inner_out(O out, X self, X other, At at) {
  return into(exact_unless_number(is_number(self) ? self : other), out, at)(inner, self, other);
}
O addmm_out(O out, X self, X mat1, X mat2, Scalar beta, Scalar alpha, At at) {
  return exact(out, at)(addmm, self, mat1, mat2, beta, alpha);
}
O addmv_out(O out, X self, X mat, X vec, Scalar beta, Scalar alpha, At at) {
  return exact(out, at)(addmv, self, mat, vec, beta, alpha);
}
O baddbmm_out(O out, X self, X batch1, X batch2, Scalar beta, Scalar alpha, At at) {
  return exact(out, at)(baddbmm, self, batch1, batch2, beta, alpha);
}
O linear_out(O out, X input, X weight, X bias, At at) {
  return exact(out, at)(linear, input, weight, bias);
}
O tensordot_out(O out, X self, X other, Sizes dims_self, Sizes dims_other, At at) {
  return exact(out, at)(tensordot, self, other, dims_self, dims_other);
}
O linalg_cross_out(O out, X self, X other, I dim, At at) {
  return exact(out, at)(linalg_cross, self, other, dim);
}
O linalg_inv_out(O out, X A, At at) { return exact(out, at)(linalg_inv, A); }
O inverse_out(O out, X self, At at) { return exact(out, at)(inverse, self); }
O linalg_solve_out(O out, X A, X B, bool left, At at) {
  return exact(out, at)(linalg_solve, A, B, left);
}
O linalg_solve_triangular_out(O out, X self, X B, bool upper, bool left, bool unitriangular,
                              At at) {
  return exact(out, at)(linalg_solve_triangular, self, B, upper, left, unitriangular);
}
O linalg_cholesky_out(O out, X self, bool upper, At at) {
  return exact(out, at)(linalg_cholesky, self, upper);
}
O linalg_det_out(O out, X A, At at) { return exact(out, at)(linalg_det, A); }
O linalg_eigvalsh_out(O out, X self, Text UPLO, At at) {
  return exact(out, at)(linalg_eigvalsh, self, UPLO);
}
O linalg_svdvals_out(O out, X A, At at) { return exact(out, at)(linalg_svdvals, A); }
O outer_out(O out, X self, X vec2, At at) { return converted(out, at)(outer, self, vec2); }
O kron_out(O out, X self, X other, At at) { return converted(out, at)(kron, self, other); }
TwoOuts linalg_slogdet_out(O sign, O logabsdet, X A, At at) {
  return exact(std::tie(sign, logabsdet), at)(linalg_slogdet, A);
}
TwoOuts slogdet_out(O sign, O logabsdet, X self, At at) {
  return exact(std::tie(sign, logabsdet), at)(slogdet, self);
}
TwoOuts linalg_qr_out(O Q, O R, X A, Text mode, At at) {
  return exact(std::tie(Q, R), at)(linalg_qr, A, mode);
}
TwoOuts linalg_eigh_out(O eigvals, O eigvecs, X self, Text UPLO, At at) {
  return exact(std::tie(eigvals, eigvecs), at)(linalg_eigh, self, UPLO);
}
ThreeOuts linalg_svd_out(O U, O S, O Vh, X A, bool full_matrices, At at) {
  return exact(std::tie(U, S, Vh), at)(linalg_svd, A, full_matrices);
}

}  // namespace notape
