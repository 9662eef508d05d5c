// y = x^ w + b with x^ = (x - mean) r, r = 1 / sqrt(variance + eps). With the projection P(v) = r
// (v
// - mean(v) - x^ mean(v x^)), which is symmetric: dx = P(G w), dw = sum(G x^), db = sum(G).
#include "ops/normalization/normalize.h"

#include "autograd/graph/record.h"
#include "ops/arithmetic.h"
#include "ops/core/allocate.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction.h"
#include "ops/shape.h"

namespace notape {
namespace {

struct Standard {
  Tensor x_hat, r, mean, variance;  // (view), and statistics
};
/// What the derivatives are told. Weight and bias have one shape; they may be undefined.
struct Normalize {
  NormalizeProblem problem;
  DimVector affine;
  ScalarType weight, bias;
};

/// In differentiable operators.
Standard standardize(const Tensor& x, const NormalizeProblem& p) {
  const Tensor seen = reshape(x, p.sizes());
  if (x.numel() == 0) {
    const Tensor none = zeros_for({&x}, p.statistic_sizes(), x.dtype());
    return {seen, none, none, none};
  }
  const auto [variance, mean] = var_mean(seen, p.statistic_dims(), false, true);
  const Tensor r = rsqrt(variance + p.eps);
  return {(seen - mean) * r, r, mean, variance};
}

/// P(v), for v of the view.
Tensor project(const Tensor& v, const Standard& s, const NormalizeProblem& p) {
  if (v.numel() == 0) return v;
  const auto dims = p.statistic_dims();
  return (v - mean(v, dims, true) - s.x_hat * mean(v * s.x_hat, dims, true)) * s.r;
}

/// Weight or bias, to broadcast with the view.
Tensor by_channel(const Tensor& weight, const NormalizeProblem& p) {
  return reshape(weight, {1, p.view[1], p.view[2], 1});
}
Tensor weighted(const Tensor& v, const Tensor& weight, const NormalizeProblem& p) {
  return weight.defined() ? v * by_channel(weight, p) : v;
}

/// Numbers of 16 bits are computed in float32 in the composition, too, and rounded once.
Tensor widened(const Tensor& x) { return x.defined() ? to(x, computed_in(x.dtype())) : x; }

/// Whether the kernels may compute a derivative.
bool has_kernel(const Tensor& grad, const Tensor& x, const Tensor& weight) {
  return !any_batched(grad, x, weight) && normalize_gradient_kernel.is_offered_on(x.device());
}
/// Whether anybody may differentiate it again.
bool is_differentiated() { return thread_state.grad_mode || thread_state.forward_levels != 0; }

constexpr auto kSame =
    derivative("NormalizeBackwardBackward0", elementwise([](const Tensor& grad) { return grad; }));
/// The value that a kernel computed with the history of the same in operators: so that the bits of
/// a gradient do not depend on whether it will be differentiated.
Tensor with_history(const Operation& op, Tensor value, const Tensor& composed) {
  return record(kSame, op, std::move(value), NoParameters(), composed);
}

/// Row-major and of the type that kernels compute in.
Tensor prepared(const Tensor& x, ScalarType type) {
  return x.defined() ? raw_contiguous(raw_convert(x, computed_in(type))) : x;
}

Tensor gradient_of_x(const Tensor& grad, const Tensor& x, const Tensor& weight, const Tensor& mean,
                     const Tensor& variance, const NormalizeProblem& p) {
  const Operation op("normalize_backward", At::current());
  Tensor result;
  if (has_kernel(grad, x, weight)) {
    const ScalarType type = computed_in(x.dtype());
    result = allocate(x.sizes(), type, x.device());
    normalize_gradient_kernel(op, type, x.device(), result, prepared(grad, type), prepared(x, type),
                              prepared(weight, type), mean, variance, p);
    result = raw_convert(result, x.dtype());
    if (!is_differentiated()) return result;
  }
  const Standard s = standardize(widened(x), p);
  const Tensor v = weighted(reshape(widened(grad), p.sizes()), widened(weight), p);
  const Tensor composed = to(reshape(project(v, s, p), x.sizes()), x.dtype());
  return result.defined() ? with_history(op, std::move(result), composed) : composed;
}

Tensor gradient_of_weight(const Tensor& grad, const Tensor& x, const Tensor& mean,
                          const Tensor& variance, const Normalize& n) {
  const Operation op("normalize_backward", At::current());
  Tensor result;
  if (has_kernel(grad, x, Tensor())) {
    const ScalarType type = computed_in(x.dtype());
    result = allocate(n.affine, type, x.device());
    normalize_weight_kernel(op, type, x.device(), result, prepared(grad, type), prepared(x, type),
                            mean, variance, n.problem);
    result = raw_convert(result, n.weight);
    if (!is_differentiated()) return result;
  }
  const Standard s = standardize(widened(x), n.problem);
  const Tensor terms = reshape(widened(grad), n.problem.sizes()) * s.x_hat;
  const Tensor composed = to(reshape(sum(terms, {0, 3}), n.affine), n.weight);
  return result.defined() ? with_history(op, std::move(result), composed) : composed;
}

/// A tangent of the view as one of the result.
Tensor as_result(const Tensor& tangent, IntArrayRef sizes, ScalarType type) {
  return to(reshape(tangent, sizes), type);
}

constexpr auto kNormalize =
    derivative(
        "",
        rule(
            [](const Tensor& grad, const Input<0>& x, const Input<1>& weight, const Result<1>& mean,
               const Result<2>& variance, const Normalize& n) {
              return gradient_of_x(grad, x, weight, mean, variance, n.problem);
            },
            [](const Tensor& tangent, const Input<0>& x, const Input<1>& weight,
               const Normalize& n) {
              const NormalizeProblem& p = n.problem;
              const Tensor v = reshape(widened(tangent), p.sizes());
              const Tensor moved = project(v, standardize(widened(x), p), p);
              return as_result(weighted(moved, widened(weight), p), x.sizes(), x.dtype());
            }),
        rule([](const Tensor& grad, const Input<0>& x, const Result<1>& mean,
                const Result<2>& variance,
                const Normalize& n) { return gradient_of_weight(grad, x, mean, variance, n); },
             [](const Tensor& tangent, const Input<0>& x, const Normalize& n) {
               const Tensor x_hat = standardize(widened(x), n.problem).x_hat;
               return as_result(weighted(x_hat, widened(tangent), n.problem), x.sizes(), x.dtype());
             }),
        rule(
            [](const Tensor& grad, const Normalize& n) {
              const Tensor terms = reshape(widened(grad), n.problem.sizes());
              return to(reshape(sum(terms, {0, 3}), n.affine), n.bias);
            },
            [](const Tensor& tangent, const Meta<0>& x, const Normalize& n) {
              const Tensor moved = expand(by_channel(tangent, n.problem), n.problem.sizes());
              return as_result(moved, x.sizes(), x.dtype());
            }))
        .with_arguments<"input", "weight", "bias">()
        .with_results<"result", "mean", "variance">();

Normalized composed(const Operation& op, const Tensor& x, const Tensor& weight, const Tensor& bias,
                    const NormalizeProblem& p) {
  const Composite composite({&x, &weight, &bias});
  const Standard s = standardize(widened(x), p);
  Tensor result = weighted(s.x_hat, widened(weight), p);
  if (bias.defined()) result = add(result, by_channel(widened(bias), p), 1, op.at);
  return {to(reshape(result, x.sizes(), op.at), x.dtype(), op.at), s.mean.detach(),
          s.variance.detach()};
}

}  // namespace

void check_weight_type(const Operation& op, const Tensor& x, const Tensor& weight,
                       const char* name) {
  if (!weight.defined()) return;
  check_operands(op, {&x, &weight});
  if (weight.dtype() != x.dtype() && weight.dtype() != computed_in(x.dtype()))
    op.fail<DtypeError>("expected {} to have dtype {} or that of the input, {}, but got {}", name,
                        name_of(computed_in(x.dtype())), name_of(x.dtype()),
                        name_of(weight.dtype()));
}

Normalized normalize(const Operation& op, const char* node, const Tensor& x, const Tensor& weight,
                     const Tensor& bias, const NormalizeProblem& problem) {
  require_floating(op, x);
  check_weight_type(op, x, weight, "weight");
  check_weight_type(op, x, bias, "bias");
  const Device device = x.device();
  if (any_batched(x, weight, bias) || !normalize_kernel.is_offered_on(device))
    return composed(op, x, weight, bias, problem);
  const ScalarType type = computed_in(x.dtype());
  const Normalized out{allocate(x.sizes(), type, device),
                       allocate(problem.statistic_sizes(), kFloat64, device),
                       allocate(problem.statistic_sizes(), kFloat64, device)};
  normalize_kernel(op, type, device, out, prepared(x, type), prepared(weight, type),
                   prepared(bias, type), problem);
  auto named = kNormalize;
  named.name = node;
  const auto type_of = [&](const Tensor& t) { return t.defined() ? t.dtype() : x.dtype(); };
  const Tensor& affine = weight.defined() ? weight : bias;
  const Normalize told{problem, affine.defined() ? affine.sizes() : IntArrayRef(), type_of(weight),
                       type_of(bias)};
  auto [result, mean, variance] =
      record(named, op, PerResult<3>{raw_convert(out.result, x.dtype()), out.mean, out.variance},
             told, x, weight, bias);
  return {std::move(result), std::move(mean), std::move(variance)};
}

}  // namespace notape
