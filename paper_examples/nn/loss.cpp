#include "paper_examples/nn/loss.h"

namespace notape::nn {

Tensor MSELossImpl::forward(const Tensor& input, const Tensor& target) const {
  return mse_loss(input, target, options.reduction());
}
Tensor L1LossImpl::forward(const Tensor& input, const Tensor& target) const {
  return l1_loss(input, target, options.reduction());
}
Tensor SmoothL1LossImpl::forward(const Tensor& input, const Tensor& target) const {
  return smooth_l1_loss(input, target, options.reduction(), options.beta());
}
Tensor HuberLossImpl::forward(const Tensor& input, const Tensor& target) const {
  return huber_loss(input, target, options.reduction(), options.delta());
}

CrossEntropyLossImpl::CrossEntropyLossImpl(const CrossEntropyLossOptions& o)
    : options(o), weight(register_buffer("weight", o.weight())) {}
Tensor CrossEntropyLossImpl::forward(const Tensor& input, const Tensor& target) const {
  return cross_entropy(input, target, weight, options.reduction(), options.ignore_index(),
                       options.label_smoothing());
}

NLLLossImpl::NLLLossImpl(const NLLLossOptions& o)
    : options(o), weight(register_buffer("weight", o.weight())) {}
Tensor NLLLossImpl::forward(const Tensor& input, const Tensor& target) const {
  return nll_loss(input, target, weight, options.reduction(), options.ignore_index());
}

BCELossImpl::BCELossImpl(const BCELossOptions& o)
    : options(o), weight(register_buffer("weight", o.weight())) {}
Tensor BCELossImpl::forward(const Tensor& input, const Tensor& target) const {
  return binary_cross_entropy(input, target, weight, options.reduction());
}

BCEWithLogitsLossImpl::BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& o)
    : options(o),
      weight(register_buffer("weight", o.weight())),
      pos_weight(register_buffer("pos_weight", o.pos_weight())) {}
Tensor BCEWithLogitsLossImpl::forward(const Tensor& input, const Tensor& target) const {
  return binary_cross_entropy_with_logits(input, target, weight, pos_weight, options.reduction());
}

Tensor KLDivLossImpl::forward(const Tensor& input, const Tensor& target) const {
  return kl_div(input, target, options.reduction(), options.log_target());
}

}  // namespace notape::nn
