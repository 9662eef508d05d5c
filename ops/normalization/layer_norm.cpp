// layer_norm(x): each slice of the last dimensions normalised, with a weight and bias per place.
#include "ops/core/autocast.h"
#include "ops/core/promotion.h"
#include "ops/normalization.h"
#include "ops/normalization/normalize_spec.h"
#include "ops/reduce/reduction.h"

namespace notape {
namespace {

void check_layer_norm_arguments(const Operation& op, const Tensor& input, IntArrayRef shape,
                                const Tensor& weight, const Tensor& bias) {
  check_operands(op, {&input});
  if (shape.size() == 0)
    op.fail<ShapeError>(
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
        "element, but got normalized_shape = {}",
        to_string(shape));
  for (const auto& [name, tensor] : {std::pair("weight", &weight), std::pair("bias", &bias)})
    if (tensor->defined() && !(tensor->sizes() == shape))
      op.fail<ShapeError>(
          "Expected {} to be of same shape as normalized_shape, but got {} of shape {} and "
          "normalized_shape = {}",
          name, name, to_string(tensor->sizes()), to_string(shape));
  const std::size_t rank = static_cast<std::size_t>(input.dim());
  bool fits = rank >= shape.size();
  for (std::size_t d = 0; fits && d < shape.size(); ++d)
    fits = input.sizes()[rank - shape.size() + d] == shape[d];
  if (!fits)
    op.fail<ShapeError>(
        "Given normalized_shape={}, expected input with shape [*, {}], but got "
        "input of size {}",
        to_string(shape), to_string(shape), to_string(input.sizes()));
}

NormalizeProblem layer_norm_problem_of(IntArrayRef sizes, IntArrayRef shape, double eps) {
  NormalizeProblem problem{.eps = eps};
  const std::size_t outer = sizes.size() - shape.size();
  for (std::size_t d = 0; d < sizes.size(); ++d) problem.view[d < outer ? 0 : 2] *= sizes[d];
  return problem;
}

OpCase draw_layer_norm(Draw& draw) {
  const auto sizes = draw.shape(1, 4);
  const auto kept =
      static_cast<std::size_t>(draw.integer(0, static_cast<int64_t>(sizes.size()) - 1));
  const std::vector<int64_t> shape(sizes.begin() + static_cast<std::ptrdiff_t>(kept), sizes.end());
  const double eps = draw.real(0.05, 1);
  const DrawnAffine affine(draw);
  OpCase one;
  one.label = format_message("normalized_shape={}, eps={}", {to_string(shape), eps});
  one.arguments = {{.sizes = sizes}};
  affine.add_to(one, shape);
  one.call = [=](const variable_list& x) {
    return layer_norm(x[0], shape, affine.weight_of(x), affine.bias_of(x), eps);
  };
  const NormalizeProblem problem = layer_norm_problem_of(sizes, shape, eps);
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_normalize(x[0], affine.weight_of(x), affine.bias_of(x), problem);
  };
  return one;
}

const RegisterOp layer_norm_row(op_row("layer_norm", "normalization", draw_layer_norm,
                                       Trait::Accumulates | Trait::Broadcasts));

}  // namespace

Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                  const Tensor& bias, double eps, bool, At at) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_float32(
        at,
        [&](const Tensor& x, const Tensor& w, const Tensor& b) {
          return layer_norm(x, normalized_shape, w, b, eps, true, at);
        },
        input, weight, bias);
  const Operation op("layer_norm", at);
  check_layer_norm_arguments(op, input, normalized_shape, weight, bias);
  return normalize(op, "NativeLayerNormBackward0", input, weight, bias,
                   layer_norm_problem_of(input.sizes(), normalized_shape, eps))
      .result;
}

}  // namespace notape
