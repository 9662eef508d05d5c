// topk(x, k, dim): {values, indices} of the k largest or smallest along a dimension, in order; the
// gradient goes to where they stand.
#include <algorithm>

#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/core/wrap_dim.h"
#include "ops/reduce.h"
#include "ops/reduce/ordering.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

constexpr auto kTopkDerivative = picked_derivative("TopkBackward0");

template <typename T>
PlainTensor<T> plain_topk(const PlainTensor<T>& x, int64_t k, int64_t dim, bool largest) {
  std::vector<int64_t> sizes = x.sizes;
  if (!sizes.empty())
    sizes[static_cast<std::size_t>(wrap_dim(dim, static_cast<int64_t>(sizes.size())))] = k;
  PlainTensor<T> result(sizes);
  const PlainSlices from(x.sizes, dim), to(sizes, dim);
  for (int64_t o = 0; o < from.outer; ++o)
    for (int64_t n = 0; n < from.inner; ++n) {
      std::vector<T> slice;
      for (int64_t i = 0; i < from.size; ++i) slice.push_back(x.values[from.at(o, i, n)]);
      std::stable_sort(slice.begin(), slice.end(),
                       [largest](const T& a, const T& b) { return plainly_before(a, b, largest); });
      for (int64_t i = 0; i < to.size; ++i)
        result.values[to.at(o, i, n)] = slice[static_cast<std::size_t>(i)];
    }
  return result;
}

OpCase draw_topk(Draw& draw) {
  const std::vector<int64_t> sizes = draw.shape(0, 4);
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t dim = draw.dimension(rank);
  const int64_t size = rank == 0 ? 1 : sizes[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)];
  const int64_t k = rank == 0 ? 1 : draw.integer(0, size);
  const bool largest = draw.boolean();
  OpCase one;
  one.label = format_message("k={}, dim={}{}", {k, dim, largest ? ", largest" : ""});
  one.arguments = {{.sizes = sizes, .distinct = true}};
  one.call = [=](const variable_list& x) { return std::get<0>(topk(x[0], k, dim, largest)); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_topk(x[0], k, dim, largest);
  };
  return one;
}

const RegisterOp topk_row(op_row("topk", "reduce", draw_topk, Trait::Permutes));

}  // namespace

std::tuple<Tensor, Tensor> topk(const Tensor& self, Integer k, Integer dim, bool largest,
                                bool /*sorted*/, At at) {
  const Operation op("topk", at);
  check_operands(op, {&self});
  const int64_t place = wrap_dim(op, dim, self.dim());
  const int64_t size = self.dim() == 0 ? 1 : self.size(place);
  if (k < 0 || k > size)
    op.fail<IndexError>("selected index k out of range: k = {} of {} elements along dimension {}",
                        k, size, dim);
  if (self.dtype() == kBool) op.fail<DtypeError>("does not support bool input");
  const int64_t count = self.dim() == 0 ? 1 : int64_t{k};  // LibTorch's, too
  return std::tuple_cat(record(kTopkDerivative, op, raw_order(op, self, place, count, largest),
                               AlongOneDim{place}, self));
}

std::tuple<Tensor, Tensor> ReduceMembers::topk(Integer k, Integer dim, bool largest, bool sorted,
                                               At at) const {
  return notape::topk(self(), k, dim, largest, sorted, at);
}

}  // namespace notape
