// Systems of equations and triangular decompositions by LAPACK, one matrix after another.
#include "ops/linalg/decompositions.h"

#include <algorithm>
#include <vector>

#include "ops/cpu/lapack_matrices.h"

namespace notape {
namespace {

using lapack::as_int, lapack::for_types, lapack::part, lapack::spoiled;

void lu_on_cpu(const Operation& op, const Tensor& matrices, const Tensor& signs) {
  const blasint n = as_int(op, matrices.size(1));
  std::vector<blasint> pivots(static_cast<std::size_t>(n));
  for_types(op, matrices, [&]<typename T>() {
    for (int64_t i = 0; i < matrices.size(0); ++i) {
      T sign = 1;
      if (n > 0 && !spoiled<T>(matrices, i, matrices)) {
        blasint info = 0;
        lapack::library<T>(op).getrf(&n, &n, part<T>(matrices, i), &n, pivots.data(), &info);
        for (blasint row = 0; row < n; ++row)
          if (pivots[static_cast<std::size_t>(row)] != row + 1) sign = -sign;
      }
      signs.impl().data_as<T>()[i] = sign;
    }
  });
}

void solve_on_cpu(const Operation& op, const Tensor& matrices, const Tensor& right, Infos infos) {
  const blasint n = as_int(op, matrices.size(1)), columns = as_int(op, right.size(2));
  std::vector<blasint> pivots(static_cast<std::size_t>(n));
  if (n == 0) return;
  for_types(op, matrices, [&]<typename T>() {
    const auto& lapack = lapack::library<T>(op);
    for (int64_t i = 0; i < matrices.size(0); ++i) {
      if (spoiled<T>(matrices, i, right)) continue;
      blasint info = 0, unused = 0;
      T* lu = part<T>(matrices, i);
      lapack.getrf(&n, &n, lu, &n, pivots.data(), &info);
      infos.impl().data_as<int32_t>()[i] = info;
      if (columns > 0)
        lapack.getrs("N", &n, &columns, lu, &n, pivots.data(), part<T>(right, i), &n, &unused, 1);
    }
  });
}

void triangular_solve_on_cpu(const Operation& op, const Tensor& matrices, const Tensor& right,
                             Triangle triangle) {
  const blasint n = as_int(op, matrices.size(1)), columns = as_int(op, right.size(2));
  if (n == 0 || columns == 0) return;
  for_types(op, matrices, [&]<typename T>() {
    const T one = 1;
    for (int64_t i = 0; i < matrices.size(0); ++i)
      lapack::library<T>(op).trsm("L", triangle.upper ? "U" : "L", "N",
                                  triangle.unitriangular ? "U" : "N", &n, &columns, &one,
                                  part<T>(matrices, i), &n, part<T>(right, i), &n, 1, 1, 1, 1);
  });
}

void cholesky_on_cpu(const Operation& op, const Tensor& matrices, Infos infos) {
  const blasint n = as_int(op, matrices.size(1));
  if (n == 0) return;
  for_types(op, matrices, [&]<typename T>() {
    for (int64_t i = 0; i < matrices.size(0); ++i) {
      blasint info = 0;
      T* factor = part<T>(matrices, i);
      lapack::library<T>(op).potrf("L", &n, factor, &n, &info, 1);
      for (blasint j = 0; j < n; ++j) {
        std::fill_n(factor + static_cast<int64_t>(j) * n, j, T(0));
        // Not every LAPACK takes a NaN for what is not positive.
        const T root = factor[static_cast<int64_t>(j) * (n + 1)];
        if (info == 0 && root != root) info = j + 1;
      }
      infos.impl().data_as<int32_t>()[i] = info;
    }
  });
}

}  // namespace

constinit LuKernel lu_kernel(lu_on_cpu);
constinit SolveKernel solve_kernel(solve_on_cpu);
constinit TriangularSolveKernel triangular_solve_kernel(triangular_solve_on_cpu);
constinit CholeskyKernel cholesky_kernel(cholesky_on_cpu);

}  // namespace notape
