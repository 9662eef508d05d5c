#include "paper_examples/nn/linear.h"

#include "ops/ops.h"
#include "paper_examples/nn/initialize.h"

namespace notape::nn {

LinearImpl::LinearImpl(int64_t in_features, int64_t out_features)
    : weight(register_parameter("weight",
                                uniform_by_fan_in({out_features, in_features}, in_features))),
      bias(register_parameter("bias", uniform_by_fan_in({out_features}, in_features))) {}

Tensor LinearImpl::forward(const Tensor& input) const {
  // A volatile input makes the output volatile, so the transpose need not be recorded, either.
  const AutoGradMode mode(GradMode::is_enabled() && !input.is_volatile());
  return addmm(bias, input, weight.t());
}

}  // namespace notape::nn
