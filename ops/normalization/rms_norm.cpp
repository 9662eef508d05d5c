// rms_norm(x) = x w / sqrt(mean(x^2) + eps) over the last dimensions.
#include <limits>

#include "ops/arithmetic.h"
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/normalization.h"
#include "ops/reduce.h"
#include "ops/reduce/reduction.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"
#include "ops/spec/row.h"

namespace notape {
namespace {

OpCase draw_rms_norm(Draw& draw) {
  const auto sizes = draw.shape(1, 4, 1);
  const auto outer =
      static_cast<std::size_t>(draw.integer(0, static_cast<int64_t>(sizes.size()) - 1));
  const std::vector<int64_t> shape(sizes.begin() + static_cast<std::ptrdiff_t>(outer), sizes.end());
  const double eps = draw.real(0.05, 1);
  const bool weighted = draw.boolean();
  OpCase one;
  one.label = format_message("normalized_shape={}, eps={}", {to_string(shape), eps});
  one.arguments = {{.sizes = sizes}};
  if (weighted) one.arguments.push_back({.sizes = shape});
  one.call = [=](const variable_list& x) {
    return rms_norm(x[0], shape, weighted ? x[1] : Tensor(), eps);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(sizes);
    const auto count = static_cast<std::size_t>(PlainTensor<T>(shape).numel());
    for (std::size_t start = 0; start < result.values.size(); start += count) {
      T squares = 0;
      for (std::size_t i = 0; i < count; ++i)
        squares += x[0].values[start + i] * x[0].values[start + i];
      const T root = math::sqrt(squares / T(static_cast<double>(count)) + T(eps));
      for (std::size_t i = 0; i < count; ++i)
        result.values[start + i] =
            x[0].values[start + i] / root * (weighted ? x[1].values[i] : T(1));
    }
    return result;
  };
  return one;
}

const RegisterOp rms_norm_row(op_row("rms_norm", "normalization", draw_rms_norm,
                                     Trait::Accumulates | Trait::Broadcasts));

/// The distance from 1 to the next number of the type in which `type` is computed: one of 16 bits
/// would be an eps that swamps small inputs.
double spacing_of(ScalarType type) {
  return computed_in(type) == kFloat64 ? std::numeric_limits<double>::epsilon()
                                       : static_cast<double>(std::numeric_limits<float>::epsilon());
}

void check_rms_norm_arguments(const Operation& op, const Tensor& input, IntArrayRef shape,
                              const Tensor& weight) {
  check_operands(op, {&input});
  require_floating(op, input);
  if (shape.size() == 0)
    op.fail<ShapeError>(
        "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
        "element, but got normalized_shape = {}",
        to_string(shape));
  const std::size_t rank = input.sizes().size();
  if (rank < shape.size() ||
      !(IntArrayRef(input.sizes().end() - shape.size(), shape.size()) == shape))
    op.fail<ShapeError>(
        "Given normalized_shape={}, expected input with shape [*, {}], but got input of size {}",
        to_string(shape), to_string(shape), to_string(input.sizes()));
  if (!weight.defined()) return;
  check_operands(op, {&input, &weight});
  if (!(weight.sizes() == shape))
    op.fail<ShapeError>(
        "Expected weight to be of same shape as normalized_shape, but got weight of shape {} and "
        "normalized_shape = {}",
        to_string(weight.sizes()), to_string(shape));
}

}  // namespace

Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                std::optional<double> eps, At at) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_float32(
        at,
        [&](const Tensor& x, const Tensor& w) { return rms_norm(x, normalized_shape, w, eps, at); },
        input, weight);
  const Operation op("rms_norm", at);
  check_rms_norm_arguments(op, input, normalized_shape, weight);
  const Composite composite({&input, &weight});
  DimVector dims;
  for (std::size_t d = normalized_shape.size(); d > 0; --d)
    dims.push_back(-static_cast<int64_t>(d));
  const ScalarType type =
      weight.defined() ? promote_types(input.dtype(), weight.dtype()) : input.dtype();
  const Tensor x = to(input, computed_in(type), at);
  const Tensor squares = mean(square(x, at), dims, true, at);
  const Tensor scaled =
      mul(x, rsqrt(add(squares, eps.value_or(spacing_of(input.dtype())), 1, at), at), at);
  return to(weight.defined() ? mul(scaled, to(weight, x.dtype(), at), at) : scaled, type, at);
}

}  // namespace notape
