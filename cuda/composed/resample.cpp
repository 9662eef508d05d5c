#include "cuda/composed/resample.h"

#include <algorithm>

#include "autograd/modes/grad_mode.h"
#include "cuda/composed/windows.h"

namespace notape::cuda {
namespace {

/// The term of that number in each row, (rows): 0 where there is none.
struct Terms {
  Terms(const SparseRows& matrix, int64_t number)
      : sources(zeros({matrix.rows()}, kInt64)),
        weights(zeros({matrix.rows()}, kFloat64)),
        is_missing(zeros({matrix.rows()}, kBool)) {
    for (int64_t row = 0; row < matrix.rows(); ++row) {
      const int64_t term = matrix.starts[static_cast<std::size_t>(row)] + number;
      if (term >= matrix.starts[static_cast<std::size_t>(row) + 1]) {
        is_missing.impl().data_as<bool>()[row] = any_is_missing = true;
        continue;
      }
      sources.impl().data_as<int64_t>()[row] = matrix.sources[static_cast<std::size_t>(term)];
      weights.impl().data_as<double>()[row] = matrix.weights[static_cast<std::size_t>(term)];
    }
  }
  Tensor sources, weights, is_missing;
  bool any_is_missing = false;
};

int64_t most_terms(const SparseRows& matrix) {
  int64_t most = 0;
  for (std::size_t row = 0; row + 1 < matrix.starts.size(); ++row)
    most = std::max(most, matrix.starts[row + 1] - matrix.starts[row]);
  return most;
}

}  // namespace

void resample_by_terms(const Operation& op, const Tensor& result, const Tensor& x,
                       const SparseRows& matrix, int64_t inner) {
  if (x.dtype() == kBool) no_kernel(op, x.dtype(), x.device());
  if (result.numel() == 0) return;
  const NoGradGuard no_grad;
  // Integers wrap around in their own type as what is wider does in its last bits.
  const ScalarType type = x.is_floating_point() ? kFloat64 : kInt64;
  const int64_t rows = matrix.rows(), columns = matrix.columns;
  const int64_t outer = result.numel() / (rows * inner);
  const Tensor begins = seen_as(x, {outer, rows, inner}, {columns * inner, 0, 1});
  Tensor sum = zeros({outer, rows, inner}, TensorOptions(type).device(x.device()));
  for (int64_t number = 0; number < most_terms(matrix); ++number) {
    const Terms terms(matrix, number);
    const Tensor sources = seen_as(terms.sources.to(x.device()), {outer, rows, inner}, {0, 1, 0});
    Tensor part = read_at(op, begins, sources, inner).to(type);
    part.mul_(terms.weights.to(type).to(x.device()).view({rows, 1}));
    if (terms.any_is_missing) part.masked_fill_(terms.is_missing.to(x.device()).view({rows, 1}), 0);
    sum.add_(part);
  }
  raw_copy(result, sum.view(result.sizes()));
}

}  // namespace notape::cuda
