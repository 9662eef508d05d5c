// kron(a, b): along each dimension place i n + j, n the size of b, holds a_i b_j; missing leading
// dimensions are of size 1. Made of mul, which promotes and carries the derivative.
#include "ops/arithmetic.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/linalg.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

using KronShape = std::vector<int64_t>;

/// With ones in front up to `rank` sizes.
KronShape with_ones(IntArrayRef sizes, std::size_t rank) {
  KronShape result(rank - sizes.size(), 1);
  result.insert(result.end(), sizes.begin(), sizes.end());
  return result;
}

OpCase draw_kron(Draw& draw) {
  const KronShape a = draw.shape(0, 3, 0, 3), b = draw.shape(0, 3, 0, 3);
  OpCase one;
  one.label = to_string(a) + " by " + to_string(b);
  one.arguments = {{.sizes = a}, {.sizes = b}};
  one.call = [](const variable_list& x) { return kron(x[0], x[1]); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const std::size_t rank = std::max(a.size(), b.size());
    const KronShape all_a = with_ones(a, rank), all_b = with_ones(b, rank);
    KronShape sizes = all_a;
    for (std::size_t d = 0; d < rank; ++d) sizes[d] *= all_b[d];
    PlainTensor<T> result(sizes);
    for (int64_t i = 0; i < result.numel(); ++i) {
      int64_t rest = i, place_a = 0, place_b = 0, step_a = 1, step_b = 1;
      for (std::size_t d = rank; d-- > 0; rest /= sizes[d]) {
        place_a += rest % sizes[d] / all_b[d] * step_a;
        place_b += rest % sizes[d] % all_b[d] * step_b;
        step_a *= all_a[d];
        step_b *= all_b[d];
      }
      result.values[static_cast<std::size_t>(i)] = x[0].values[static_cast<std::size_t>(place_a)] *
                                                   x[1].values[static_cast<std::size_t>(place_b)];
    }
    return result;
  };
  return one;
}

const RegisterOp kron_row(
    {.name = "kron", .family = "linalg", .draw = draw_kron, .traits = Trait::Accumulates});

}  // namespace

Tensor kron(const Tensor& self, const Tensor& other, At at) {
  const Operation op("kron", at);
  check_operands(op, {&self, &other});
  if (self.dim() == 0 || other.dim() == 0) return mul(self, other, at);
  const Composite composite({&self, &other});
  const auto rank = static_cast<std::size_t>(std::max(self.dim(), other.dim()));
  const KronShape of_self = with_ones(self.sizes(), rank),
                  of_other = with_ones(other.sizes(), rank);
  // (a_1, 1, a_2, 1, ..) times (1, b_1, 1, b_2, ..)
  KronShape left, right, sizes;
  for (std::size_t d = 0; d < rank; ++d) {
    left.insert(left.end(), {of_self[d], 1});
    right.insert(right.end(), {1, of_other[d]});
    sizes.push_back(size_product(op, {of_self[d], of_other[d]}));
  }
  return reshape(mul(reshape(self, left, at), reshape(other, right, at), at), sizes, at);
}

Tensor LinalgMembers::kron(const Tensor& other, At at) const {
  return notape::kron(self(), other, at);
}

}  // namespace notape
