// tensordot(a, b, da, db): the sum of products over pairs of dimensions, as one product of
// matrices.
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/wrap_dim.h"
#include "ops/linalg.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

using TensordotShape = std::vector<int64_t>;

/// Of the dimensions that are named and those that are left, in order; throws IndexError for one
/// named twice.
struct Parted {
  TensordotShape named, left;
};
Parted parted(const Operation& op, const Tensor& tensor, IntArrayRef dims) {
  Parted result;
  const auto has = [&](int64_t dim) {
    return std::find(result.named.begin(), result.named.end(), dim) != result.named.end();
  };
  for (const int64_t dim : dims) {
    const int64_t place = wrap_dim(op, dim, tensor.dim());
    if (tensor.dim() == 0) op.fail<IndexError>("a 0-dim tensor has no dimension {}", dim);
    if (has(place)) op.fail<IndexError>("dim {} appears multiple times in the list of dims", dim);
    result.named.push_back(place);
  }
  for (int64_t d = 0; d < tensor.dim(); ++d)
    if (!has(d)) result.left.push_back(d);
  return result;
}

int64_t numel_of(const Tensor& tensor, const TensordotShape& dims) {
  int64_t numel = 1;
  for (const int64_t d : dims) numel *= tensor.size(d);
  return numel;
}

TensordotShape joined(TensordotShape a, const TensordotShape& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

OpCase draw_tensordot(Draw& draw) {
  const int64_t i = draw.integer(0, 3), j = draw.integer(0, 3), k = draw.integer(0, 3),
                m = draw.integer(0, 3);
  const bool two = draw.boolean();
  OpCase one;
  one.label = format_message("{} pairs", {two ? 2 : 1});
  one.arguments = {{.sizes = {i, j, k}},
                   {.sizes = two ? TensordotShape{k, m, i} : TensordotShape{k, m}}};
  one.call = [=](const variable_list& x) {
    return two ? tensordot(x[0], x[1], {0, 2}, {-1, 0}) : tensordot(x[0], x[1], {-1}, {0});
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(two ? TensordotShape{j, m} : TensordotShape{i, j, m});
    for (int64_t a = 0; a < i; ++a)
      for (int64_t b = 0; b < j; ++b)
        for (int64_t c = 0; c < k; ++c)
          for (int64_t d = 0; d < m; ++d)
            result.values[static_cast<std::size_t>(two ? b * m + d : (a * j + b) * m + d)] +=
                x[0].values[static_cast<std::size_t>((a * j + b) * k + c)] *
                x[1].values[static_cast<std::size_t>(two ? (c * m + d) * i + a : c * m + d)];
    return result;
  };
  return one;
}

const RegisterOp tensordot_row({.name = "tensordot",
                                .family = "linalg",
                                .draw = draw_tensordot,
                                .traits = Trait::Accumulates});

}  // namespace

Tensor tensordot(const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                 IntArrayRef dims_other, At at) {
  if (in_autocast(self)) [[unlikely]]
    return autocast_to_widest(
        at, [&](auto... x) { return tensordot(x..., dims_self, dims_other, at); }, self, other);
  const Operation op("tensordot", at);
  check_operands(op, {&self, &other});
  check_same_type(op, self, other);
  if (dims_self.size() != dims_other.size())
    op.fail<ShapeError>("both dimension lists should have same length, got {} and {}",
                        to_string(dims_self), to_string(dims_other));
  const Parted left = parted(op, self, dims_self), right = parted(op, other, dims_other);
  const Composite composite({&self, &other});
  Tensor a = self, b = other;
  for (std::size_t i = 0; i < left.named.size(); ++i) {
    const int64_t p = left.named[i], q = right.named[i];
    if (a.size(p) == b.size(q)) continue;
    if (a.size(p) != 1 && b.size(q) != 1)
      op.fail<ShapeError>(
          "contracted dimensions need to match, but first has size {} in dim {} and second has "
          "size "
          "{} in dim {}",
          a.size(p), p, b.size(q), q);
    Tensor& longer = a.size(p) == 1 ? b : a;  // its products are all with the same number
    const ScalarType type = longer.dtype();
    longer = to(sum(longer, {a.size(p) == 1 ? q : p}, true, at), type, at);
  }
  const int64_t n = numel_of(a, left.left), k = numel_of(a, left.named),
                m = numel_of(b, right.left);
  const Tensor product =
      mm(reshape(permute(a, joined(left.left, left.named), at), {n, k}, at),
         reshape(permute(b, joined(right.named, right.left), at), {k, m}, at), at);
  TensordotShape sizes;
  for (const int64_t d : left.left) sizes.push_back(self.size(d));
  for (const int64_t d : right.left) sizes.push_back(other.size(d));
  return reshape(product, sizes, at);
}

}  // namespace notape
