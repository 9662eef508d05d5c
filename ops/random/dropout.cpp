// dropout(x)[i] = x[i] / (1 - p) with probability 1 - p, else 0; the derivative uses the same mask.
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#include "ops/random.h"
#include "ops/random/draw_elements.h"
#include "ops/random/draw_mask.h"
#include "ops/spec/plain.h"
#endif

namespace notape {
namespace {

struct KeepScaled {
  template <typename T>
  using Signature = T(T, bool);
  Number scale;
  bool factors_are_finite() const { return scale.is_finite(); }
  template <typename T>
  NOTAPE_HD T operator()(T x, bool keep) const {
    return keep ? x * scale.as<T>() : T(0);
  }
};
const ElementwiseKernel<KeepScaled, 2> value_kernel("dropout");

}  // namespace

#ifndef __CUDACC__
namespace {

constexpr auto kDropoutDerivative =
    derivative("DropoutBackward0",
               elementwise([](const Tensor& grad, const Input<1>& mask, const KeepScaled& f) {
                 return where(mask, grad * f.scale.real, 0);
               }),
               not_differentiable);

OpCase draw_dropout(Draw& draw) {
  const double p = draw.real(0, 1);
  const auto seed = static_cast<uint64_t>(draw.integer(0, 1 << 20));
  OpCase one;
  one.label = format_message("p={}, seed={}", {p, seed});
  one.arguments = {{.sizes = draw.shape(0, 4)}};
  one.call = [=](const variable_list& x) {
    const SeedScope scope(seed);
    return dropout(x[0], p);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(x[0].sizes);
    const auto draws = draws_of_mask(seed, result.values.size());
    for (std::size_t i = 0; i < result.values.size(); ++i)
      if (keeps(draws[i], p)) result.values[i] = x[0].values[i] / (1 - T(p));
    return result;
  };
  return one;
}

const RegisterOp dropout_row({.name = "dropout", .family = "random", .draw = draw_dropout});

}  // namespace

std::vector<uint32_t> draws_of_mask(uint64_t seed, std::size_t count) {
  Generator generator(seed);
  std::vector<uint32_t> words(count);
  RandomStream(generator).words(0, static_cast<int64_t>(count), words.data());
  return words;
}

Tensor draw_mask(const Operation& op, IntArrayRef sizes, double p, Device device) {
  // keeps(), in whole numbers; p > 0, so the smallest word of all is dropped
  const auto last_dropped = static_cast<uint32_t>(std::ceil(p * 0x1p32) - 1);
  return draw_elements(op, sizes, kBool, device, WordAbove{last_dropped});
}

void check_dropout_probability(const Operation& op, double p) {
  if (!(p >= 0 && p <= 1))
    op.fail<ValueError>("dropout probability has to be between 0 and 1, but got {}", p);
}

void check_dropout_type(const Operation& op, const Tensor& input) {
  if (!input.is_floating_point())
    op.fail<DtypeError>("result type float32 can't be cast to the desired output type {}",
                        name_of(input.dtype()));
}

Tensor keep_scaled(const Operation& op, const Tensor& input, const Tensor& mask, double scale) {
  const KeepScaled f{number(scale)};
  return record(kDropoutDerivative, op, compute(op, value_kernel, f, input, mask), f, input, mask);
}

Tensor dropout(const Tensor& input, double p, bool train, At at) {
  const Operation op("dropout", at);
  check_operands(op, {&input});
  check_dropout_probability(op, p);
  if (!train || p == 0 || input.numel() == 0) return input;
  check_dropout_type(op, input);
  const Tensor mask = draw_mask(op, input.sizes(), p, input.device());
  return keep_scaled(op, input, mask, p == 1 ? 0 : 1 / (1 - p));
}
#endif

}  // namespace notape
