#include "paper_examples/nn/flatten.h"

#include <fmt/ostream.h>

#include "ops/shape.h"

namespace notape::nn {

Tensor FlattenImpl::forward(const Tensor& input) const {
  return flatten(input, options.start_dim(), options.end_dim());
}

void FlattenImpl::pretty_print(std::ostream& out) const {
  fmt::print(out, "Flatten(start_dim={}, end_dim={})", options.start_dim(), options.end_dim());
}

}  // namespace notape::nn
