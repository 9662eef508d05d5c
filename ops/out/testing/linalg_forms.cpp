// Products and decompositions of matrices: each out form beside its function.
#include "ops/out/testing/forms.h"

namespace notape::testing {
namespace {

const RegisterForms linalg_forms(
    {{"mm_out", [] { return list(mm(x(), x().t())); },
      [](variable_list& o) { return whose(mm_out(o[0], x(), x().t())); }},
     {"bmm_out", [] { return list(bmm(stacked(), stacked().transpose(1, 2))); },
      [](variable_list& o) { return whose(bmm_out(o[0], stacked(), stacked().transpose(1, 2))); }},
     {"matmul_out", [] { return list(matmul(stacked(), x().t())); },
      [](variable_list& o) { return whose(matmul_out(o[0], stacked(), x().t())); }},
     {"mv_out", [] { return list(mv(x(), x()[0])); },
      [](variable_list& o) { return whose(mv_out(o[0], x(), x()[0])); }},
     {"dot_out", [] { return list(dot(x()[0], y()[0])); },
      [](variable_list& o) { return whose(dot_out(o[0], x()[0], y()[0])); }},
     {"inner_out", [] { return list(inner(x(), y())); },
      [](variable_list& o) { return whose(inner_out(o[0], x(), y())); }},
     {"addmm_out", [] { return list(addmm(definite(), x(), x().t(), 2, 3)); },
      [](variable_list& o) { return whose(addmm_out(o[0], definite(), x(), x().t(), 2, 3)); }},
     {"addmv_out", [] { return list(addmv(definite()[0], x(), x()[0], 2, 3)); },
      [](variable_list& o) { return whose(addmv_out(o[0], definite()[0], x(), x()[0], 2, 3)); }},
     {"baddbmm_out",
      [] { return list(baddbmm(definite(), stacked(), stacked().transpose(1, 2), 2, 3)); },
      [](variable_list& o) {
        return whose(baddbmm_out(o[0], definite(), stacked(), stacked().transpose(1, 2), 2, 3));
      }},
     {"linear_out", [] { return list(linear(x(), y(), x().select(1, 0))); },
      [](variable_list& o) { return whose(linear_out(o[0], x(), y(), x().select(1, 0))); }},
     {"tensordot_out",
      [] {
        return list(tensordot(x(), y(), {0, 1}, {0, 1}));
      },
      [](variable_list& o) {
        return whose(tensordot_out(o[0], x(), y(), {0, 1}, {0, 1}));
      }},
     {"linalg_cross_out", [] { return list(linalg_cross(x(), y(), 0)); },
      [](variable_list& o) { return whose(linalg_cross_out(o[0], x(), y(), 0)); }},
     {"linalg_inv_out", [] { return list(linalg_inv(definite())); },
      [](variable_list& o) { return whose(linalg_inv_out(o[0], definite())); }},
     {"inverse_out", [] { return list(inverse(definite())); },
      [](variable_list& o) { return whose(inverse_out(o[0], definite())); }},
     {"linalg_solve_out", [] { return list(linalg_solve(definite(), definite().t() * 2, false)); },
      [](variable_list& o) {
        return whose(linalg_solve_out(o[0], definite(), definite().t() * 2, false));
      }},
     {"linalg_solve_triangular_out",
      [] {
        return list(linalg_solve_triangular(definite().triu(), definite(), true, false, true));
      },
      [](variable_list& o) {
        return whose(
            linalg_solve_triangular_out(o[0], definite().triu(), definite(), true, false, true));
      }},
     {"linalg_cholesky_out", [] { return list(linalg_cholesky(definite(), true)); },
      [](variable_list& o) { return whose(linalg_cholesky_out(o[0], definite(), true)); }},
     {"linalg_det_out", [] { return list(linalg_det(definite())); },
      [](variable_list& o) { return whose(linalg_det_out(o[0], definite())); }},
     {"linalg_eigvalsh_out", [] { return list(linalg_eigvalsh(definite(), "U")); },
      [](variable_list& o) { return whose(linalg_eigvalsh_out(o[0], definite(), "U")); }},
     {"linalg_svdvals_out", [] { return list(linalg_svdvals(x())); },
      [](variable_list& o) { return whose(linalg_svdvals_out(o[0], x())); }},
     {"outer_out", [] { return list(outer(x()[0], y()[0])); },
      [](variable_list& o) { return whose(outer_out(o[0], x()[0], y()[0])); }},
     {"kron_out", [] { return list(kron(x(), y())); },
      [](variable_list& o) { return whose(kron_out(o[0], x(), y())); }},
     {"linalg_slogdet_out", [] { return list(linalg_slogdet(definite())); },
      [](variable_list& o) { return whose(linalg_slogdet_out(o[0], o[1], definite())); }},
     {"slogdet_out", [] { return list(slogdet(definite())); },
      [](variable_list& o) { return whose(slogdet_out(o[0], o[1], definite())); }},
     {"linalg_qr_out", [] { return list(linalg_qr(x(), "complete")); },
      [](variable_list& o) { return whose(linalg_qr_out(o[0], o[1], x(), "complete")); }},
     {"linalg_eigh_out", [] { return list(linalg_eigh(definite(), "U")); },
      [](variable_list& o) { return whose(linalg_eigh_out(o[0], o[1], definite(), "U")); }},
     {"linalg_svd_out", [] { return list(linalg_svd(x(), false)); },
      [](variable_list& o) { return whose(linalg_svd_out(o[0], o[1], o[2], x(), false)); }}});

}  // namespace
}  // namespace notape::testing
