// linear(x, W, b) = x W^T + b: addmm of all rows of x with a bias, else matmul; they carry the
// derivatives.
#include "ops/arithmetic.h"
#include "ops/core/autocast.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/linalg.h"
#include "ops/linalg/product.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

OpCase draw_linear(Draw& draw) {
  const int64_t k = draw.integer(0, 4), m = draw.integer(0, 4);
  std::vector<int64_t> input = draw.shape(0, 3, 0, 3), result_sizes = input;
  input.push_back(k);
  result_sizes.push_back(m);
  const bool biased = draw.boolean();
  OpCase one;
  one.label = format_message("{} by {}x{}{}", {to_string(input), m, k, biased ? ", bias" : ""});
  one.arguments = {{.sizes = input}, {.sizes = {m, k}}};
  if (biased) one.arguments.push_back({.sizes = {m}});
  one.call = [=](const variable_list& x) { return linear(x[0], x[1], biased ? x[2] : Tensor()); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(result_sizes);
    for (int64_t at = 0; at < result.numel(); ++at) {
      T sum = biased ? x[2].values[static_cast<std::size_t>(at % m)] : T(0);
      for (int64_t p = 0; p < k; ++p)
        sum += x[0].values[static_cast<std::size_t>(at / m * k + p)] *
               x[1].values[static_cast<std::size_t>(at % m * k + p)];
      result.values[static_cast<std::size_t>(at)] = sum;
    }
    return result;
  };
  return one;
}

const RegisterOp linear_row(
    {.name = "linear", .family = "linalg", .draw = draw_linear, .traits = Trait::Accumulates});

void check_linear(const Operation& op, const Tensor& input, const Tensor& weight,
                  const Tensor& bias) {
  check_operands(op, {&input, &weight});
  if (input.dim() == 0 || weight.dim() == 0 || weight.dim() > 2)
    op.fail<ShapeError>(
        "input must have at least one dimension and weight one or two, but they have sizes {} and "
        "{}",
        to_string(input.sizes()), to_string(weight.sizes()));
  if (input.size(-1) != weight.size(-1))
    op.fail<ShapeError>(
        "the last dimensions of input and weight must be equal, but their sizes are {} and {}",
        to_string(input.sizes()), to_string(weight.sizes()));
  check_same_type(op, input, weight);
  if (!bias.defined()) return;
  check_operands(op, {&input, &bias});
  check_same_type(op, input, bias);
  const bool fits = weight.dim() == 1 ? bias.dim() == 0 || bias.numel() == 1
                                      : is_expandable_to(bias.sizes(), weight.size(0));
  if (!fits)
    op.fail<ShapeError>("bias of size {} does not fit to weight of size {}",
                        to_string(bias.sizes()), to_string(weight.sizes()));
}

}  // namespace

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias, At at) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_low(
        at, [&](auto... x) { return linear(x..., at); }, input, weight, bias);
  const Operation op("linear", at);
  check_linear(op, input, weight, bias);
  const Composite composite({&input, &weight, &bias});
  if (weight.dim() == 1) {
    const Tensor result = matmul(input, weight, at);
    return bias.defined() ? add(result, reshape(bias, {}, at), 1, at) : result;
  }
  std::vector<int64_t> sizes = input.sizes().vec();
  int64_t count = 1;
  for (std::size_t d = 0; d + 1 < sizes.size(); ++d) count *= sizes[d];
  const Tensor rows = input.dim() == 2 ? input : reshape(input, {count, sizes.back()}, at);
  const Tensor result = bias.defined() ? addmm(bias, rows, t(weight, at), 1, 1, at)
                                       : mm(rows, weight, Transposed{false, true}, at);
  if (input.dim() == 2) return result;
  sizes.back() = weight.size(0);
  return reshape(result, sizes, at);
}

}  // namespace notape
