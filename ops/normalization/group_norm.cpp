// group_norm(x): equal parts of the channels of each sample normalised, with a weight and bias per
// channel.
#include "ops/core/autocast.h"
#include "ops/core/promotion.h"
#include "ops/core/sizes.h"
#include "ops/normalization.h"
#include "ops/normalization/normalize_spec.h"

namespace notape {
namespace {

void check_group_norm_arguments(const Operation& op, const Tensor& input, int64_t groups,
                                const Tensor& weight, const Tensor& bias) {
  check_operands(op, {&input});
  if (input.dim() < 2)
    op.fail<ShapeError>("Expected at least 2 dimensions for input tensor but received {}",
                        input.dim());
  if (groups <= 0) op.fail<ValueError>("Expected num groups to be greater than 0, got {}", groups);
  if (input.size(1) % groups != 0)
    op.fail<ShapeError>(
        "Expected number of channels in input to be divisible by num_groups, but got input of "
        "shape {} and num_groups={}",
        to_string(input.sizes()), groups);
  geometry_of(op, IntArrayRef{input.size(0), groups, input.size(1) / groups, 1});
  for (const auto& [name, tensor] : {std::pair("weight", &weight), std::pair("bias", &bias)})
    if (tensor->defined() && !(tensor->sizes() == IntArrayRef(input.size(1))))
      op.fail<ShapeError>(
          "Expected {} to be a vector of size equal to the number of channels in input, but got {} "
          "of shape {} and input of shape {}",
          name, name, to_string(tensor->sizes()), to_string(input.sizes()));
}

NormalizeProblem group_norm_problem_of(IntArrayRef sizes, int64_t groups, double eps) {
  NormalizeProblem problem{.view = {sizes[0], groups, sizes[1] / groups, 1}, .eps = eps};
  for (std::size_t d = 2; d < sizes.size(); ++d) problem.view[3] *= sizes[d];
  return problem;
}

OpCase draw_group_norm(Draw& draw) {
  auto sizes = draw.shape(2, 4);
  const int64_t groups = draw.integer(1, 3);
  sizes[1] = groups * draw.integer(0, 2);
  const double eps = draw.real(0.05, 1);
  const DrawnAffine affine(draw);
  OpCase one;
  one.label = format_message("num_groups={}, eps={}", {groups, eps});
  one.arguments = {{.sizes = sizes}};
  affine.add_to(one, {sizes[1]});
  one.call = [=](const variable_list& x) {
    return group_norm(x[0], groups, affine.weight_of(x), affine.bias_of(x), eps);
  };
  const NormalizeProblem problem = group_norm_problem_of(sizes, groups, eps);
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    return plain_normalize(x[0], affine.weight_of(x), affine.bias_of(x), problem);
  };
  return one;
}

const RegisterOp group_norm_row(op_row("group_norm", "normalization", draw_group_norm,
                                       Trait::Accumulates | Trait::Broadcasts));

}  // namespace

Tensor group_norm(const Tensor& input, Integer num_groups, const Tensor& weight, const Tensor& bias,
                  double eps, bool, At at) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_float32(
        at,
        [&](const Tensor& x, const Tensor& w, const Tensor& b) {
          return group_norm(x, num_groups, w, b, eps, true, at);
        },
        input, weight, bias);
  const Operation op("group_norm", at);
  check_group_norm_arguments(op, input, num_groups, weight, bias);
  return normalize(op, "NativeGroupNormBackward0", input, weight, bias,
                   group_norm_problem_of(input.sizes(), num_groups, eps))
      .result;
}

}  // namespace notape
