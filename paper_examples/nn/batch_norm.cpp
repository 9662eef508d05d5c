#include "paper_examples/nn/batch_norm.h"

#include <fmt/ostream.h>

#include "ops/ops.h"

namespace notape::nn {

BatchNormImplBase::BatchNormImplBase(const char* name, const BatchNormOptions& o)
    : Module(name), options(o) {
  const auto all = [&](double value) { return full({o.num_features()}, value); };
  weight = register_parameter("weight", o.affine() ? all(1) : Tensor());
  bias = register_parameter("bias", o.affine() ? all(0) : Tensor());
  const bool tracks = o.track_running_stats();
  running_mean = register_buffer("running_mean", tracks ? all(0) : Tensor());
  running_var = register_buffer("running_var", tracks ? all(1) : Tensor());
  num_batches_tracked =
      register_buffer("num_batches_tracked", tracks ? full({}, 0, dtype(kInt64)) : Tensor());
}

void BatchNormImplBase::reset_running_stats() const {
  if (!options.track_running_stats()) return;
  const NoGradGuard no_grad;
  running_mean.zero_();
  running_var.fill_(1);
  num_batches_tracked.zero_();
}

double BatchNormImplBase::next_momentum() const {
  if (!is_training() || !options.track_running_stats()) return options.momentum().value_or(0);
  const NoGradGuard no_grad;
  // No kernel reads it. On the CPU it is counted without a launch.
  if (!num_batches_tracked.device().is_cpu())
    num_batches_tracked.set_data(num_batches_tracked.cpu());
  num_batches_tracked.add_(1);
  return options.momentum() ? *options.momentum() : 1 / num_batches_tracked.item();
}

Tensor BatchNormImplBase::normalize(const Tensor& input) const {
  // Its variance would be 0 / 0, and the running one from then on.
  if (uses_input() && input.numel() > 0 && input.numel() == input.size(1))
    throw ValueError("Expected more than 1 value per channel when training, got input size {}",
                     to_string(input.sizes()));
  return batch_norm(input, weight, bias, running_mean, running_var, uses_input(), next_momentum(),
                    options.eps());
}

Tensor BatchNormImplBase::normalize_samples(const Tensor& input, int64_t dims) const {
  if (input.dim() == dims - 1) return normalize_samples(input.unsqueeze(0), dims).squeeze(0);
  if (input.dim() != dims || input.size(1) != options.num_features())
    throw ShapeError(
        "{}: the input is {}; it has {} dimensions, or {} without a batch, and {} channels", name(),
        to_string(input.sizes()), dims, dims - 1, options.num_features());
  if (uses_input() && input.numel() > 0 && input.numel() == input.size(0) * input.size(1))
    throw ValueError("Expected more than 1 spatial element when training, got input size {}",
                     to_string(input.sizes()));
  return instance_norm(input, weight, bias, running_mean, running_var, uses_input(),
                       next_momentum(), options.eps());
}

void BatchNormImplBase::pretty_print(std::ostream& out) const {
  fmt::print(out, "{}({}, eps={}, momentum={}, affine={}, track_running_stats={})", name(),
             options.num_features(), options.eps(),
             options.momentum() ? fmt::format("{}", *options.momentum()) : "none", options.affine(),
             options.track_running_stats());
}

Tensor BatchNorm1dImpl::forward(const Tensor& input) const {
  if (input.dim() != 2 && input.dim() != 3)
    throw ShapeError("BatchNorm1d: the input has {} dimensions; it is (N, C) or (N, C, L)",
                     input.dim());
  return normalize(input);
}

Tensor BatchNorm2dImpl::forward(const Tensor& input) const {
  if (input.dim() != 4)
    throw ShapeError("BatchNorm2d: the input has {} dimensions; it is (N, C, H, W)", input.dim());
  return normalize(input);
}

}  // namespace notape::nn
