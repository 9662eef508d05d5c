#include "paper_examples/optim/sgd.h"

#include "ops/ops.h"

namespace notape::optim {

SGD::SGD(std::vector<Tensor> parameters, const SGDOptions& options)
    : parameters_(std::move(parameters)), buffers_(parameters_.size()), options_(options) {}

void SGD::step() {
  const NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& gradient = parameters_[i].grad();
    if (!gradient.defined()) continue;
    if (options_.momentum() == 0) {
      parameters_[i].sub_(gradient, options_.lr());
      continue;
    }
    Tensor& buffer = buffers_[i];
    if (buffer.defined())
      buffer.mul_(options_.momentum()).add_(gradient);
    else
      buffer = gradient.clone();
    parameters_[i].sub_(buffer, options_.lr());
  }
}

void SGD::zero_grad() const {
  for (const Tensor& parameter : parameters_) parameter.mutable_grad().reset();
}

}  // namespace notape::optim
