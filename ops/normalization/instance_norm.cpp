// instance_norm(x): each channel of each sample normalised, with a weight and bias per channel.
#include "ops/core/composite.h"
#include "ops/normalization.h"
#include "ops/normalization/normalize_spec.h"
#include "ops/normalization/running.h"
#include "ops/reduce.h"

namespace notape {
namespace {

NormalizeProblem instance_norm_problem_of(IntArrayRef sizes, double eps) {
  NormalizeProblem problem{.view = {sizes[0], sizes[1], 1, 1}, .eps = eps};
  for (std::size_t d = 2; d < sizes.size(); ++d) problem.view[3] *= sizes[d];
  return problem;
}

OpCase draw_instance_norm(Draw& draw) {
  const auto sizes = draw.shape(2, 5);
  const double eps = draw.real(0.05, 1);
  const DrawnAffine affine(draw);
  OpCase one;
  one.label = format_message("eps={}", {eps});
  one.arguments = {{.sizes = sizes}};
  affine.add_to(one, {sizes[1]});
  one.call = [=](const variable_list& x) {
    return instance_norm(x[0], affine.weight_of(x), affine.bias_of(x), {}, {}, true, 0.1, eps);
  };
  const NormalizeProblem problem = instance_norm_problem_of(sizes, eps);
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_normalize(x[0], affine.weight_of(x), affine.bias_of(x), problem);
  };
  return one;
}

const RegisterOp instance_norm_row(op_row("instance_norm", "normalization", draw_instance_norm,
                                          Trait::Accumulates | Trait::Broadcasts));

}  // namespace

Tensor instance_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Tensor& running_mean, const Tensor& running_var, bool use_input_stats,
                     double momentum, double eps, bool, At at) {
  const Operation op("instance_norm", at);
  const Running running{running_mean, running_var, momentum};
  check_channels(op, input, weight, bias, running);
  if (!use_input_stats) {
    if (!running_mean.defined() || !running_var.defined())
      op.fail<UndefinedTensor>(
          "Expected running_mean and running_var to be defined when use_input_stats is false");
    return batch_norm(input, weight, bias, running_mean, running_var, false, momentum, eps, true,
                      at);
  }
  const NormalizeProblem problem = instance_norm_problem_of(input.sizes(), eps);
  const Normalized out = normalize(op, "NativeBatchNormBackward0", input, weight, bias, problem);
  if (input.numel() > 0 && (running_mean.defined() || running_var.defined()))
    update(op, running, mean(out.mean, 0, false, at), mean(out.variance, 0, false, at),
           problem.averaged());
  return out.result;
}

}  // namespace notape
