#include "paper_examples/nn/linear.h"

#include <fmt/ostream.h>

#include "ops/linalg.h"
#include "paper_examples/nn/init.h"

namespace notape::nn {

LinearImpl::LinearImpl(const LinearOptions& o)
    : options(o),
      weight(register_parameter(
          "weight", init::uniform_by_fan_in({o.out_features(), o.in_features()}, o.in_features()))),
      bias(register_parameter(
          "bias",
          o.bias() ? init::uniform_by_fan_in({o.out_features()}, o.in_features()) : Tensor())) {}

Tensor LinearImpl::forward(const Tensor& input) const { return linear(input, weight, bias); }

void LinearImpl::pretty_print(std::ostream& out) const {
  fmt::print(out, "Linear(in_features={}, out_features={}, bias={})", options.in_features(),
             options.out_features(), options.bias());
}

}  // namespace notape::nn
