// bilinear(x1, x2, W, b)[.., o] = b[o] + x1[..]^T W[o] x2[..]: an einsum.
#include "ops/arithmetic.h"
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

using BilinearShape = std::vector<int64_t>;

BilinearShape with_last(BilinearShape sizes, int64_t last) {
  sizes.push_back(last);
  return sizes;
}

OpCase draw_bilinear(Draw& draw) {
  const BilinearShape batch = draw.shape(0, 2, 0, 2);
  const int64_t n = draw.integer(0, 3), m = draw.integer(0, 3), out = draw.integer(0, 3);
  const bool biased = draw.boolean();
  OpCase one;
  one.label = to_string(batch) + (biased ? ", bias" : "");
  one.arguments = {
      {.sizes = with_last(batch, n)}, {.sizes = with_last(batch, m)}, {.sizes = {out, n, m}}};
  if (biased) one.arguments.push_back({.sizes = {out}});
  one.call = [=](const variable_list& x) {
    return bilinear(x[0], x[1], x[2], biased ? x[3] : Tensor());
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(with_last(batch, out));
    for (int64_t at = 0; at < result.numel(); ++at) {
      T sum = biased ? x[3].values[static_cast<std::size_t>(at % out)] : T(0);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < m; ++j)
          sum += x[0].values[static_cast<std::size_t>(at / out * n + i)] *
                 x[2].values[static_cast<std::size_t>((at % out * n + i) * m + j)] *
                 x[1].values[static_cast<std::size_t>(at / out * m + j)];
      result.values[static_cast<std::size_t>(at)] = sum;
    }
    return result;
  };
  return one;
}

const RegisterOp bilinear_row(
    {.name = "bilinear", .family = "linalg", .draw = draw_bilinear, .traits = Trait::Accumulates});

}  // namespace

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const Tensor& bias, At at) {
  if (in_autocast(input1)) [[unlikely]]
    return autocast_to_widest(
        at, [&](auto... x) { return bilinear(x..., at); }, input1, input2, weight, bias);
  const Operation op("bilinear", at);
  check_operands(op, {&input1, &input2, &weight});
  if (weight.dim() != 3)
    op.fail<ShapeError>("weight must have 3 dimensions, got size {}", to_string(weight.sizes()));
  const bool fits = input1.dim() == input2.dim() && input1.dim() > 0 &&
                    IntArrayRef(input1.sizes().data(), input1.sizes().size() - 1) ==
                        IntArrayRef(input2.sizes().data(), input2.sizes().size() - 1) &&
                    input1.size(-1) == weight.size(1) && input2.size(-1) == weight.size(2);
  if (!fits)
    op.fail<ShapeError>(
        "inputs of size {} and {} do not fit to each other and to weight of size {}",
        to_string(input1.sizes()), to_string(input2.sizes()), to_string(weight.sizes()));
  check_same_type(op, input1, input2);
  check_same_type(op, input1, weight);
  if (bias.defined()) {
    check_operands(op, {&input1, &bias});
    check_same_type(op, input1, bias);
    if (bias.dim() != 1 || bias.size(0) != weight.size(0))
      op.fail<ShapeError>("bias of size {} does not fit to weight of size {}",
                          to_string(bias.sizes()), to_string(weight.sizes()));
  }
  const Composite composite({&input1, &input2, &weight, &bias});
  const Tensor y = einsum("...i,oij,...j->...o", {input1, weight, input2}, at);
  return bias.defined() ? add(y, bias, 1, at) : y;
}

}  // namespace notape
