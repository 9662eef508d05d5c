#include "paper_examples/nn/loss.h"

namespace notape::nn {
namespace {

void check_sizes(const char* name, const Tensor& input, const Tensor& target) {
  if (input.defined() && target.defined() && !(input.sizes() == target.sizes()))
    throw ShapeError("{}: target size ({}) must be the same as input size ({})", name,
                     to_string(target.sizes()), to_string(input.sizes()));
}

/// Where they are to be broadcast.
void warn_of_sizes(const char* name, const Tensor& input, const Tensor& target) {
  if (input.defined() && target.defined() && !(input.sizes() == target.sizes()))
    warn_once(name,
              format_message("{}: using a target size ({}) that is different to the input size "
                             "({}). This will likely lead to incorrect results due to "
                             "broadcasting. Please ensure they have the same size.",
                             {name, to_string(target.sizes()), to_string(input.sizes())}),
              At::current());
}

}  // namespace

Tensor MSELossImpl::forward(const Tensor& input, const Tensor& target) const {
  return mse_loss(input, target, options.reduction());
}
Tensor L1LossImpl::forward(const Tensor& input, const Tensor& target) const {
  return l1_loss(input, target, options.reduction());
}
Tensor SmoothL1LossImpl::forward(const Tensor& input, const Tensor& target) const {
  warn_of_sizes("SmoothL1Loss", input, target);
  return smooth_l1_loss(input, target, options.reduction(), options.beta());
}
Tensor HuberLossImpl::forward(const Tensor& input, const Tensor& target) const {
  warn_of_sizes("HuberLoss", input, target);
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
  check_sizes("BCELoss", input, target);
  return binary_cross_entropy(input, target, weight, options.reduction());
}

BCEWithLogitsLossImpl::BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& o)
    : options(o),
      weight(register_buffer("weight", o.weight())),
      pos_weight(register_buffer("pos_weight", o.pos_weight())) {}
Tensor BCEWithLogitsLossImpl::forward(const Tensor& input, const Tensor& target) const {
  check_sizes("BCEWithLogitsLoss", input, target);
  return binary_cross_entropy_with_logits(input, target, weight, pos_weight, options.reduction());
}

Tensor KLDivLossImpl::forward(const Tensor& input, const Tensor& target) const {
  return kl_div(input, target, options.reduction(), options.log_target());
}

}  // namespace notape::nn
