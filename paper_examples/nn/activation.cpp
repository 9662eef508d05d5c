#include "paper_examples/nn/activation.h"

#include <fmt/ostream.h>

#include "ops/ops.h"

namespace notape::nn {

void InPlaceActivation::pretty_print(std::ostream& out) const {
  fmt::print(out, "{}({})", name(), options.inplace() ? "inplace=true" : "");
}

Tensor ReLUImpl::forward(Tensor input) const {
  if (options.inplace()) return relu_(input);
  return relu(input);
}
Tensor ReLU6Impl::forward(Tensor input) const {
  if (options.inplace()) return relu6_(input);
  return relu6(input);
}
Tensor SiLUImpl::forward(Tensor input) const {
  if (options.inplace()) return silu_(input);
  return silu(input);
}

Tensor SigmoidImpl::forward(const Tensor& input) const { return sigmoid(input); }
Tensor TanhImpl::forward(const Tensor& input) const { return tanh(input); }

Tensor LeakyReLUImpl::forward(Tensor input) const {
  if (options.inplace()) return leaky_relu_(input, options.negative_slope());
  return leaky_relu(input, options.negative_slope());
}
void LeakyReLUImpl::pretty_print(std::ostream& out) const {
  fmt::print(out, "LeakyReLU(negative_slope={}{})", options.negative_slope(),
             options.inplace() ? ", inplace=true" : "");
}

Tensor GELUImpl::forward(const Tensor& input) const { return gelu(input, options.approximate()); }
void GELUImpl::pretty_print(std::ostream& out) const {
  fmt::print(out, "GELU(approximate={})", options.approximate());
}

Tensor SoftmaxImpl::forward(const Tensor& input) const { return softmax(input, options.dim()); }
void SoftmaxImpl::pretty_print(std::ostream& out) const {
  fmt::print(out, "Softmax(dim={})", options.dim());
}

Tensor LogSoftmaxImpl::forward(const Tensor& input) const {
  return log_softmax(input, options.dim());
}
void LogSoftmaxImpl::pretty_print(std::ostream& out) const {
  fmt::print(out, "LogSoftmax(dim={})", options.dim());
}

}  // namespace notape::nn
