// sort(x, dim): {values, indices} in order; the gradient is put back in the old one. argsort(x,
// dim): the indices alone.
#include <algorithm>

#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/ordering.h"
#include "ops/reduce/reduction_spec.h"

namespace notape {
namespace {

constexpr auto kSortDerivative = picked_derivative("SortBackward0");

OpCase draw_sort(Draw& draw) {
  const bool descending = draw.boolean();
  OpCase one = slice_case(
      draw,
      [descending](const Tensor& x, int64_t dim) {
        return std::get<0>(notape::sort(x, dim, descending));
      },
      [descending]<typename T>(std::vector<T> slice) {
        std::stable_sort(slice.begin(), slice.end(), [descending](const T& a, const T& b) {
          return plainly_before(a, b, descending);
        });
        return slice;
      });
  one.arguments[0].distinct = true;
  if (descending) one.label += ", descending";
  return one;
}

const RegisterOp sort_row(op_row("sort", "reduce", draw_sort, Trait::Permutes));

}  // namespace

std::tuple<Tensor, Tensor> sort(const Tensor& self, Integer dim, bool descending, At at) {
  const Operation op("sort", at);
  check_operands(op, {&self});
  const int64_t place = wrap_dim(op, dim, self.dim());
  const int64_t size = self.dim() == 0 ? 1 : self.size(place);
  return std::tuple_cat(record(kSortDerivative, op, raw_order(op, self, place, size, descending),
                               AlongOneDim{place}, self));
}

Tensor argsort(const Tensor& self, Integer dim, bool descending, At at) {
  const Operation op("argsort", at);
  check_operands(op, {&self});
  const int64_t place = wrap_dim(op, dim, self.dim());
  return raw_order(op, self, place, self.dim() == 0 ? 1 : self.size(place), descending)[1];
}

std::tuple<Tensor, Tensor> ReduceMembers::sort(Integer dim, bool descending, At at) const {
  return notape::sort(self(), dim, descending, at);
}
Tensor ReduceMembers::argsort(Integer dim, bool descending, At at) const {
  return notape::argsort(self(), dim, descending, at);
}

}  // namespace notape
