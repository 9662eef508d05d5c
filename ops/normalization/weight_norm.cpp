// _weight_norm(v, g) = v g / |v|, with the euclidean norm over all dimensions but one.
#include "ops/arithmetic.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/wrap_dim.h"
#include "ops/normalization.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

OpCase draw_weight_norm(Draw& draw) {
  auto sizes = draw.shape(1, 4, 1);
  const auto rank = static_cast<int64_t>(sizes.size());
  const int64_t dim = draw.integer(0, rank - 1);
  // Of a vector of one number nothing but its rounding is left.
  if (std::ssize(sizes) == 1 || Geometry(sizes).numel() == sizes[static_cast<std::size_t>(dim)])
    sizes.push_back(2);
  std::vector<int64_t> lengths(sizes.size(), 1);
  lengths[static_cast<std::size_t>(dim)] = sizes[static_cast<std::size_t>(dim)];
  OpCase one;
  one.label = format_message("dim={}", {dim});
  // Of one sign, so that no vector is short.
  one.arguments = {{.sizes = sizes, .domain = {.low = 0.25, .high = 3}}, {.sizes = lengths}};
  one.call = [=](const variable_list& x) { return _weight_norm(x[0], x[1], dim); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const PlainSlices s(sizes, dim);
    PlainTensor<T> result(sizes);
    for (int64_t i = 0; i < s.size; ++i) {
      T squares = 0;
      for (int64_t o = 0; o < s.outer; ++o)
        for (int64_t n = 0; n < s.inner; ++n)
          squares += x[0].values[s.at(o, i, n)] * x[0].values[s.at(o, i, n)];
      const T factor = x[1].values[static_cast<std::size_t>(i)] / math::sqrt(squares);
      for (int64_t o = 0; o < s.outer; ++o)
        for (int64_t n = 0; n < s.inner; ++n)
          result.values[s.at(o, i, n)] = x[0].values[s.at(o, i, n)] * factor;
    }
    return result;
  };
  return one;
}

const RegisterOp weight_norm_row(op_row("_weight_norm", "normalization", draw_weight_norm,
                                        Trait::Accumulates | Trait::Broadcasts));

}  // namespace

Tensor _weight_norm(const Tensor& v, const Tensor& g, Integer dim, At at) {
  const Operation op("_weight_norm", at);
  check_operands(op, {&v, &g});
  require_floating(op, v);
  check_same_type(op, v, g);
  if (dim == -1) {  // one norm of everything
    const Composite composite({&v, &g});
    const Tensor x = to(v, computed_in(v.dtype()), at), factor = to(g, x.dtype(), at);
    return to(mul(x, div(factor, sqrt(sum(square(x, at), at), at), at), at), v.dtype(), at);
  }
  const int64_t place = wrap_dim(op, dim, v.dim());
  DimVector lengths(v.sizes().size(), 1), others;
  for (int64_t d = 0; d < v.dim(); ++d)
    if (d == place)
      lengths[static_cast<std::size_t>(d)] = v.size(d);
    else
      others.push_back(d);
  if (!(g.sizes() == IntArrayRef(lengths)))
    op.fail<ShapeError>("expected g of shape {} for v of shape {} and dim {}, but got {}",
                        to_string(lengths), to_string(v.sizes()), dim, to_string(g.sizes()));
  const Composite composite({&v, &g});
  const Tensor x = to(v, computed_in(v.dtype()), at);
  const Tensor squares = others.size() == 0 ? square(x, at) : sum(square(x, at), others, true, at);
  return to(mul(x, div(to(g, x.dtype(), at), sqrt(squares, at), at), at), v.dtype(), at);
}

}  // namespace notape
