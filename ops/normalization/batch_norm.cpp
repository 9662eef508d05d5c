// batch_norm(x): each channel normalised over all samples, or by given statistics: (x - mean) w /
// sqrt(variance + eps) + b, whose derivatives are those of products.
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/core/composite.h"
#include "ops/normalization.h"
#include "ops/normalization/normalize_spec.h"
#include "ops/normalization/running.h"
#include "ops/reduce/reduction.h"
#include "ops/shape.h"
#include "ops/spec/joined_results.h"

namespace notape {
namespace {

NormalizeProblem batch_norm_problem_of(IntArrayRef sizes, double eps) {
  NormalizeProblem problem{.view = {sizes[0], 1, sizes[1], 1}, .by_channel = true, .eps = eps};
  for (std::size_t d = 2; d < sizes.size(); ++d) problem.view[3] *= sizes[d];
  return problem;
}

/// With given statistics.
Tensor evaluate(const Operation& op, const Tensor& input, const Tensor& weight, const Tensor& bias,
                const Running& running, double eps) {
  require_floating(op, input);
  check_weight_type(op, input, weight, "weight");
  check_weight_type(op, input, bias, "bias");
  const Composite composite({&input, &weight, &bias});
  const At at = op.at;
  const ScalarType type = computed_in(input.dtype());
  DimVector line(static_cast<std::size_t>(input.dim()), 1);
  line[1] = input.size(1);
  const auto lined_up = [&](const Tensor& t) { return reshape(to(t, type, at), line, at); };
  Tensor factor = rsqrt(add(running.variance, eps, 1, at), at);
  if (weight.defined()) factor = mul(to(factor, type, at), to(weight, type, at), at);
  const Tensor centred = sub(to(input, type, at), lined_up(running.mean), 1, at);
  const Tensor result = bias.defined() ? addcmul(lined_up(bias), centred, lined_up(factor), 1, at)
                                       : mul(centred, lined_up(factor), at);
  return to(result, input.dtype(), at);
}

OpCase draw_batch_norm(Draw& draw) {
  const bool training = draw.integer(0, 3) > 0;
  auto sizes = draw.shape(2, 4);
  const double eps = draw.real(0.05, 1), momentum = draw.real(0.1, 1);
  const DrawnAffine affine(draw);
  std::vector<double> means, variances;  // constants of the case: they have no derivative
  for (int64_t c = 0; c < sizes[1]; ++c) {
    means.push_back(draw.real(-1, 1));
    variances.push_back(draw.real(0.5, 2));
  }
  const NormalizeProblem problem = batch_norm_problem_of(sizes, eps);
  OpCase one;
  one.label = format_message("training={}, momentum={}, eps={}", {training, momentum, eps});
  one.arguments = {{.sizes = sizes}};
  affine.add_to(one, {sizes[1]});
  const auto running_like = [=](const Tensor& x) {
    const auto options = TensorOptions(x.dtype()).device(x.device());
    return Running{tensor(means, options), tensor(variances, options)};
  };
  const auto call = [=](const variable_list& x, const Running& running) {
    return batch_norm(x[0], affine.weight_of(x), affine.bias_of(x), running.mean, running.variance,
                      training, momentum, eps);
  };
  one.call = [=](const variable_list& x) {
    return call(x, training ? Running() : running_like(x[0]));
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const PlainTensor<T> weight = affine.weight_of(x), bias = affine.bias_of(x);
    if (training) return plain_normalize(x[0], weight, bias, problem);
    PlainTensor<T> result(sizes);
    for_each_normalized(problem, [&](std::size_t at, std::size_t, std::size_t c) {
      T value = (x[0].values[at] - T(means[c])) / math::sqrt(T(variances[c]) + T(eps));
      if (affine.weight) value *= weight.values[c];
      if (affine.bias) value += bias.values[c];
      result.values[at] = value;
    });
    return result;
  };
  if (!training || problem.averaged() < 2) return one;
  one.beside = [=](const variable_list& x) {
    const Running running = running_like(x[0]);
    call(x, running);
    return joined_results({running.mean, running.variance});
  };
  one.beside_reference = [=]<typename T>(const PlainList<T>& x) {
    const auto batch = plain_statistics(x[0], problem);
    const auto count = static_cast<double>(problem.averaged());
    PlainTensor<T> result({2 * sizes[1]});
    for (std::size_t c = 0; c < means.size(); ++c) {
      result.values[c] = T(means[c]) * T(1 - momentum) + batch[0][c] * T(momentum);
      result.values[means.size() + c] =
          T(variances[c]) * T(1 - momentum) + batch[1][c] * T(count) / T(count - 1) * T(momentum);
    }
    return result;
  };
  return one;
}

const RegisterOp batch_norm_row(op_row("batch_norm", "normalization", draw_batch_norm,
                                       Trait::Accumulates | Trait::Broadcasts));

}  // namespace

Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                  const Tensor& running_mean, const Tensor& running_var, bool training,
                  double momentum, double eps, bool, At at) {
  const Operation op("batch_norm", at);
  const Running running{running_mean, running_var, momentum};
  check_channels(op, input, weight, bias, running);
  if (!training) {
    if (!running_mean.defined() || !running_var.defined())
      op.fail<UndefinedTensor>("running_mean and running_var must be defined in evaluation mode");
    return evaluate(op, input, weight, bias, running, eps);
  }
  const NormalizeProblem problem = batch_norm_problem_of(input.sizes(), eps);
  return normalize(op, "NativeBatchNormBackward0", input, weight, bias, problem,
                   input.numel() > 0 ? running : Running())
      .result;
}

}  // namespace notape
