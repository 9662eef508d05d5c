// normal(mean, std) = mean + std z, z standard normal;  d/dmean = 1,  d/dstd = z.
#include "ops/arithmetic.h"
#include "ops/core/check_values.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/random.h"
#include "ops/random/draw_mask.h"
#include "ops/random/overwrite.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

/// Standard normal numbers: of every type those of float64, rounded.
Tensor standard_normal(const Operation& op, IntArrayRef sizes, ScalarType type, Device device) {
  return draw_elements(op, sizes, type, device, NormalOfDouble());
}

void check_std(const Operation& op, const Tensor& std) {
  check_floating(op, std);
  check_values(op, std, {0, HUGE_VAL, "expects all elements of std >= 0.0"});
}

OpCase draw_normal(Draw& draw) {
  const auto seed = static_cast<uint64_t>(draw.integer(0, 1 << 20));
  const auto full = draw.shape(0, 4);
  const int64_t form = draw.integer(0, 2);
  const double number = draw.real(0.5, 2);
  OpCase one;
  one.label = format_message("seed={}, form {}, number {}", {seed, form, number});
  const Domain positive{.low = 0.1, .high = 3};
  if (form != 2) one.arguments.push_back({.sizes = draw.broadcast_of(full)});
  if (form != 1)
    one.arguments.push_back(
        {.sizes = form == 2 ? full : draw.broadcast_of(full), .domain = positive});
  one.call = [=](const variable_list& x) {
    const SeedScope scope(seed);
    if (form == 0) return normal(x[0], x[1]);
    return form == 1 ? normal(x[0], number) : normal(number, x[0]);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(form == 0 ? plain_broadcast({&x[0].sizes, &x[1].sizes}) : x[0].sizes);
    std::vector<double> numbers(static_cast<std::size_t>(result.numel()));
    Generator random(seed);
    RandomStream(random).normal(0, result.numel(), numbers.data());
    for (int64_t i = 0; i < result.numel(); ++i) {
      const auto of = [&](const PlainTensor<T>& one_of) {
        return one_of.values[static_cast<std::size_t>(plain_position(one_of, result.sizes, i))];
      };
      const T z = T(numbers[static_cast<std::size_t>(i)]);
      result.values[static_cast<std::size_t>(i)] =
          (form == 2 ? T(number) : of(x[0])) + (form == 0   ? of(x[1])
                                                : form == 1 ? T(number)
                                                            : of(x[0])) *
                                                   z;
    }
    return result;
  };
  return one;
}

const RegisterOp normal_row(
    {.name = "normal", .family = "random", .draw = draw_normal, .traits = Trait::Accumulates});

}  // namespace

Tensor normal(const Tensor& mean, const Tensor& std, At at) {
  const Operation op("normal", at);
  check_operands(op, {&mean, &std});
  check_floating(op, mean);
  check_std(op, std);
  const Composite composite({&mean, &std});
  const auto sizes = broadcast_sizes(op, mean.sizes(), std.sizes());
  const Tensor z = standard_normal(op, sizes, result_type(mean, std), mean.device());
  return add(mean, mul(std, z, at), 1, at);
}

Tensor normal(const Tensor& mean, double std, At at) {
  const Operation op("normal", at);
  check_operand(op, mean);
  check_floating(op, mean);
  if (!(std >= 0)) op.fail<ValueError>("expects std >= 0.0, but found std {}", std);
  const Composite composite({&mean});
  return add(mean, standard_normal(op, mean.sizes(), mean.dtype(), mean.device()), std, at);
}

Tensor normal(double mean, const Tensor& std, At at) {
  const Operation op("normal", at);
  check_operand(op, std);
  check_std(op, std);
  const Composite composite({&std});
  const Tensor z = standard_normal(op, std.sizes(), std.dtype(), std.device());
  return add(mul(std, z, at), mean, 1, at);
}

}  // namespace notape
