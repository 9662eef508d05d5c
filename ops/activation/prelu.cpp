// prelu(x, w) = x where x > 0, else w x, with one w or one per channel. At 0 the derivative is the
// one of least norm between w and 1.
#include "ops/activation.h"
#include "ops/activation/activation.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/autocast.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

/// Where the channels of a tensor of this rank stand.
int64_t channel_dim(int64_t rank) { return rank > 1 ? 1 : 0; }

/// Of one weight per channel as it meets a tensor of this rank.
std::vector<int64_t> weight_sizes(int64_t rank, int64_t count) {
  std::vector<int64_t> sizes(static_cast<std::size_t>(rank), 1);
  if (rank > 0) sizes[static_cast<std::size_t>(channel_dim(rank))] = count;
  return sizes;
}

void check_prelu(const Operation& op, const Tensor& self, const Tensor& weight) {
  check_floating_operand(op, self);
  check_operands(op, {&self, &weight});
  if (weight.dim() > 1)
    op.fail<ShapeError>("weight must be a scalar or 1-d tensor, but got {} dimensions",
                        weight.dim());
  if (weight.numel() != 1) {
    if (self.dim() == 0) op.fail<ShapeError>("Not allow zero-dim input tensor.");
    const int64_t channels = self.size(channel_dim(self.dim()));
    if (weight.numel() != channels)
      op.fail<ShapeError>(
          "Mismatch of parameter numbers and input channel size. Found parameter numbers = {} and "
          "channel size = {}.",
          weight.numel(), channels);
  }
  check_same_type(op, self, weight);
}

OpCase draw_prelu(Draw& draw) {
  const auto sizes = draw.shape(1, 4);
  const auto channels = sizes[static_cast<std::size_t>(channel_dim(std::ssize(sizes)))];
  const bool one_weight = draw.boolean();
  OpCase one;
  one.label = one_weight ? "one weight" : "a weight per channel";
  one.arguments = {{.sizes = sizes, .domain = {.low = -3, .high = 3, .kinks = {0}}},
                   {.sizes = {one_weight ? 1 : channels}}};
  one.call = [](const variable_list& x) { return prelu(x[0], x[1]); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> weight = x[1];
    weight.sizes = weight_sizes(std::ssize(sizes), weight.numel());
    return plain_map([](T a, T w) { return a > T(0) ? a : w * a; }, x[0], weight);
  };
  return one;
}

const RegisterOp prelu_row(op_row("prelu", "activation", draw_prelu, Trait::Broadcasts));

}  // namespace

Tensor prelu(const Tensor& self, const Tensor& weight, At at) {
  if (in_autocast(self)) [[unlikely]]
    return autocast_to_low(
        at, [&](auto... x) { return prelu(x..., at); }, self, weight);
  const Operation op("prelu", at);
  check_prelu(op, self, weight);
  const Composite composite({&self, &weight});
  const Tensor factors = reshape(weight, weight_sizes(self.dim(), weight.numel()), at);
  // At 0, too, the value is w x: NaN for an infinite weight.
  const Tensor at_kink = logical_and(eq(self, 0, at), isfinite(factors, at));
  const Tensor slope = where(at_kink, clamp(factors, 0, 1, at), factors, at);
  return where(gt(self, 0, at), self, mul(slope, self, at), at);
}

Tensor ElementwiseMembers::prelu(const Tensor& weight, At at) const {
  return notape::prelu(self(), weight, at);
}

}  // namespace notape
