// softmax(x)[i] = e^x[i] / sum(e^x) along a dimension, computed as e^(x - max(x)). With y =
// softmax(x) the Jacobian, diag(y) - y y^T, is symmetric: it maps g to y (g - sum(g y)).
#include "ops/reduce/softmax.h"

#include "ops/ops.h"
#include "ops/reduce/reduction_spec.h"

namespace notape {
namespace {

constexpr auto kDerivative =
    derivative("SoftmaxBackward0",
               elementwise([](const Tensor& grad, const Output& result, const SliceDim& p) {
                 const Tensor weighted = grad * result;
                 return weighted - result * sum(weighted, p.dim, true);
               }));

std::vector<Wide> wide_softmax(const std::vector<Wide>& slice) {
  Wide sum = 0;
  for (Wide value : slice) sum += math::exp(value);
  std::vector<Wide> result;
  for (Wide value : slice) result.push_back(math::exp(value) / sum);
  return result;
}

OpCase draw_case(Draw& draw) {
  return slice_case(
      draw, [](const Tensor& x, int64_t dim) { return softmax(x, dim); }, wide_softmax);
}

const RegisterOp row({.name = "softmax", .family = "reduce", .draw = draw_case});

}  // namespace

Tensor softmax(const Tensor& self, int64_t dim, At at) {
  const Operation op("softmax", at);
  Tensor result = SoftmaxKernel<false>::compute(op, self, dim);
  return record(kDerivative, op, std::move(result), SliceDim{wrap_dim(dim, self.dim())}, self);
}

Tensor TensorOperators::softmax(int64_t dim, At at) const {
  return notape::softmax(self(), dim, at);
}

}  // namespace notape
