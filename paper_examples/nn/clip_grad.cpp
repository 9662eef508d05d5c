#include "paper_examples/nn/clip_grad.h"

#include <algorithm>
#include <cmath>

#include "autograd/graph/in_place.h"
#include "ops/ops.h"
#include "ops/optimize/part_norms.h"

namespace notape::nn::utils {
namespace {

/// Those with entries: an empty one has no largest.
std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> result;
  for (const Tensor& parameter : parameters)
    if (parameter.grad().defined() && parameter.grad().numel() > 0)
      result.push_back(parameter.grad());
  return result;
}

/// Throws before the first is changed.
void check_all(const char* who, const std::vector<Tensor>& gradients) {
  for (const Tensor& gradient : gradients) check_write(Operation(who, At::current()), gradient, {});
}

}  // namespace

Tensor get_total_norm(const std::vector<Tensor>& tensors, double norm_type) {
  const NoGradGuard no_grad;
  std::vector<Tensor> norms, present;
  for (const Tensor& tensor : tensors)
    if (tensor.defined() && tensor.numel() > 0) present.push_back(tensor);
  if (norm_type == 2)
    if (const Tensor parts = optimize::part_norms({"get_total_norm", At::current()}, present);
        parts.defined())
      return linalg_vector_norm(parts);
  for (const Tensor& tensor : present) {
    const Device device = norms.empty() ? tensor.device() : norms[0].device();
    norms.push_back(linalg_vector_norm(tensor, norm_type).to(kFloat64).to(device));
  }
  return norms.empty() ? zeros({}, kFloat64) : linalg_vector_norm(stack(norms), norm_type);
}

void clip_grads_with_norm_(const std::vector<Tensor>& parameters, double max_norm,
                           const Tensor& total_norm) {
  const NoGradGuard no_grad;
  const std::vector<Tensor> gradients = gradients_of(parameters);
  check_all("clip_grads_with_norm_", gradients);
  const Tensor factor = (max_norm / (total_norm + 1e-6)).clamp_max(1);
  for (auto first = gradients.begin(); first != gradients.end();) {
    const Device device = first->device();
    const auto last = std::find_if(first, gradients.end(),
                                   [&](const Tensor& other) { return other.device() != device; });
    _foreach_mul_(TensorList(first, last), factor.to(device));
    first = last;
  }
}

double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
  const NoGradGuard no_grad;
  const std::vector<Tensor> gradients = gradients_of(parameters);
  if (gradients.empty()) return 0;
  const double norm = get_total_norm(gradients, norm_type).item();
  if (error_if_nonfinite && !std::isfinite(norm))
    throw ValueError(
        "clip_grad_norm_: the gradients' norm of order {} is {}, so they cannot be "
        "scaled",
        norm_type, norm);
  const double factor = max_norm / (norm + 1e-6);
  if (!(factor < 1 || std::isnan(factor))) return norm;
  check_all("clip_grad_norm_", gradients);
  _foreach_mul_(gradients, factor);
  return norm;
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value) {
  const NoGradGuard no_grad;
  const std::vector<Tensor> gradients = gradients_of(parameters);
  check_all("clip_grad_value_", gradients);
  for (const Tensor& gradient : gradients) gradient.clamp_(-clip_value, clip_value);
}

}  // namespace notape::nn::utils
