// native_dropout(x, p, train) = {dropout(x, p, train), what was kept}.
#include "autograd/tensor/factories.h"
#include "ops/core/promotion.h"
#include "ops/random.h"
#include "ops/random/draw_mask.h"
#include "ops/shape.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

OpCase draw_native_dropout(Draw& draw) {
  const double p = draw.real(0, 1);
  const bool train = draw.integer(0, 3) > 0;
  const auto seed = static_cast<uint64_t>(draw.integer(0, 1 << 20));
  OpCase one;
  one.label = format_message("p={}, seed={}{}", {p, seed, train ? "" : ", not training"});
  one.arguments = {{.sizes = draw.shape(0, 4)}};
  one.call = [=](const variable_list& x) {
    const SeedScope scope(seed);
    return std::get<0>(native_dropout(x[0], p, train));
  };
  one.beside = [=](const variable_list& x) {
    const SeedScope scope(seed);
    return std::get<1>(native_dropout(x[0], p, train));
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    if (!train || p == 0) return x[0];
    PlainTensor<T> result(x[0].sizes);
    const auto draws = draws_of_mask(seed, result.values.size());
    for (std::size_t i = 0; i < result.values.size(); ++i)
      if (keeps(draws[i], p)) result.values[i] = x[0].values[i] / (1 - T(p));
    return result;
  };
  one.beside_reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(x[0].sizes);
    const auto draws = draws_of_mask(seed, result.values.size());
    for (std::size_t i = 0; i < draws.size(); ++i)
      result.values[i] = !train || p == 0 || keeps(draws[i], p);
    return result;
  };
  return one;
}

const RegisterOp native_dropout_row({.name = "native_dropout",
                                     .family = "random",
                                     .draw = draw_native_dropout});

}  // namespace

std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p, std::optional<bool> train,
                                          At at) {
  const Operation op("native_dropout", at);
  check_operands(op, {&input});
  check_dropout_probability(op, p);
  const Device device = input.device().of_samples();
  if (!train.value_or(true) || p == 0 || input.numel() == 0)
    return {clone(input, at), ones(input.sizes(), TensorOptions(kBool).device(device))};
  check_dropout_type(op, input);
  const Tensor mask = draw_mask(op, input.sizes(), p, device);
  return {keep_scaled(op, input, mask, p == 1 ? 0 : 1 / (1 - p)), mask};
}

}  // namespace notape
