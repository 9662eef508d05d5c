#include "paper_examples/nn/layer_norm.h"

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include "ops/normalization.h"

namespace notape::nn {

LayerNormImpl::LayerNormImpl(const LayerNormOptions& o)
    : options(o),
      weight(register_parameter("weight",
                                o.elementwise_affine() ? ones(o.normalized_shape()) : Tensor())),
      bias(register_parameter("bias",
                              o.elementwise_affine() ? zeros(o.normalized_shape()) : Tensor())) {}

Tensor LayerNormImpl::forward(const Tensor& input) const {
  return layer_norm(input, options.normalized_shape(), weight, bias, options.eps());
}

void LayerNormImpl::pretty_print(std::ostream& out) const {
  fmt::print(out, "LayerNorm({}, eps={}, elementwise_affine={})", options.normalized_shape(),
             options.eps(), options.elementwise_affine());
}

GroupNormImpl::GroupNormImpl(const GroupNormOptions& o)
    : options(o),
      weight(register_parameter("weight", o.affine() ? ones({o.num_channels()}) : Tensor())),
      bias(register_parameter("bias", o.affine() ? zeros({o.num_channels()}) : Tensor())) {}

Tensor GroupNormImpl::forward(const Tensor& input) const {
  return group_norm(input, options.num_groups(), weight, bias, options.eps());
}

void GroupNormImpl::pretty_print(std::ostream& out) const {
  fmt::print(out, "GroupNorm({}, {}, eps={}, affine={})", options.num_groups(),
             options.num_channels(), options.eps(), options.affine());
}

}  // namespace notape::nn
