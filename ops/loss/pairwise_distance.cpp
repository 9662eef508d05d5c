// pairwise_distance(a, b) = |a - b + eps|_p over the last dimension.
#include "ops/arithmetic.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"
#include "ops/reduce.h"
#include "ops/shape.h"

namespace notape {
namespace {

OpCase draw_pairwise_distance(Draw& draw) {
  const double p = static_cast<double>(draw.integer(1, 3));
  const bool keepdim = draw.boolean();
  auto full = draw.shape(1, 4);
  OpCase one;
  one.label = format_message("p={}, eps=0.5, keepdim={}", {p, keepdim});
  // Apart, so that no difference is on a kink.
  one.arguments = {{.sizes = full, .domain = {.low = 1, .high = 3}},
                   {.sizes = full, .domain = {.low = -2, .high = 0.5}}};
  one.call = [=](const variable_list& x) { return pairwise_distance(x[0], x[1], p, 0.5, keepdim); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(plain_reduced(full, -1, keepdim));
    const int64_t size = full.back();
    for (int64_t i = 0; i < x[0].numel(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const T z = x[0].values[at] - x[1].values[at] + T(0.5);
      T power = z;
      for (int64_t k = 1; k < static_cast<int64_t>(p); ++k) power *= z;
      result.values[static_cast<std::size_t>(i / size)] += power;
    }
    for (T& value : result.values)
      if (p > 1 && value > T(0)) value = math::exp(math::log(value) / T(p));
    return result;
  };
  return one;
}

const RegisterOp pairwise_distance_row(op_row("pairwise_distance", "loss", draw_pairwise_distance,
                                              Trait::Accumulates));

}  // namespace

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim,
                         At at) {
  const Operation op("pairwise_distance", at);
  check_broadcast(op, {&x1, &x2});
  const Composite composite({&x1, &x2});
  const Promoted x = promoted({x1, x2}, at);
  const Tensor apart = add(sub(x[0], x[1], 1, at), eps, 1, at);
  return to(linalg_vector_norm(apart, p, {-1}, keepdim, {}, at), x.type, at);
}

}  // namespace notape
