// glu(x) = a s, s = sigmoid(b), of the halves a and b of x along a dimension;  d/da = s,
// d/db = a s (1 - s)
#include "ops/activation/activation.h"
#ifndef __CUDACC__
#include "ops/activation.h"
#include "ops/core/wrap_dim.h"
#include "ops/shape.h"
#include "ops/transcendental.h"
#endif

namespace notape {
namespace {

/// Of the halves.
struct Glu {
  using Loop = VectorLoop;
  template <typename T>
  NOTAPE_HD T operator()(T a, T b) const {
    const T e = math::exp(-math::abs(b));
    return a * math::select(b < T(0), e, T(1)) / (T(1) + e);
  }
};
const ElementwiseKernel<Glu, 2> glu_kernel("glu");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kGluDerivative =
    derivative("GluBackward0",
               elementwise([](const Tensor& grad, const Input<1>& b) { return grad * sigmoid(b); }),
               elementwise([](const Tensor& grad, const Input<0>& a, const Input<1>& b) {
                 return grad * a * (sigmoid(b) * sigmoid(-b));
               }));

OpCase draw_glu(Draw& draw) {
  auto sizes = draw.shape(1, 4, 0, 3);
  const int64_t dim = draw.dimension(std::ssize(sizes));
  const auto place = static_cast<std::size_t>(dim < 0 ? dim + std::ssize(sizes) : dim);
  const auto result_sizes = sizes;
  sizes[place] *= 2;
  OpCase one;
  one.label = format_message("dim={}", {dim});
  one.arguments = {{.sizes = sizes}};
  one.call = [=](const variable_list& x) { return glu(x[0], dim); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(result_sizes);
    const PlainSlices to(result_sizes, dim), from(sizes, dim);
    for (int64_t o = 0; o < to.outer; ++o)
      for (int64_t i = 0; i < to.size; ++i)
        for (int64_t n = 0; n < to.inner; ++n) {
          const T a = x[0].values[from.at(o, i, n)], b = x[0].values[from.at(o, to.size + i, n)];
          result.values[to.at(o, i, n)] = a / (T(1) + math::exp(-b));
        }
    return result;
  };
  return one;
}

const RegisterOp glu_row(op_row("glu", "activation", draw_glu, Trait::Accumulates));

}  // namespace

Tensor glu(const Tensor& self, Integer dim, At at) {
  const Operation op("glu", at);
  check_floating_operand(op, self);
  if (self.dim() == 0) op.fail<ShapeError>("glu does not support 0-dimensional tensors");
  const int64_t size = self.size(wrap_dim(op, dim, self.dim()));
  if (size % 2 != 0)
    op.fail<ShapeError>("Halving dimension must be even, but dimension {} is size {}", dim, size);
  const Composite composite({&self});
  return binary(glu_kernel, kGluDerivative, op, narrow(self, dim, 0, size / 2, at),
                narrow(self, dim, size / 2, size / 2, at));
}
#endif

}  // namespace notape
