// x.uniform_(from, to), x.normal_(mean, std), x.exponential_(lambd): every element drawn anew.
#include "autograd/tensor/factories.h"
#include "ops/core/promotion.h"
#include "ops/random.h"
#include "ops/random/overwrite.h"

namespace notape {
namespace {

/// The largest number of the type below `high`, which is one of its numbers.
double number_below(double high, ScalarType type) {
  if (type == kFloat64) return std::nextafter(high, -std::numeric_limits<double>::infinity());
  for (auto step = static_cast<double>(std::numeric_limits<float>::denorm_min());; step *= 2)
    if (const double below = round_to(high - step, type); below < high) return below;
}

}  // namespace

Tensor& uniform_(Tensor& self, double from, double to, At at) {
  const Operation op("uniform_", at);
  check_to_overwrite(op, self);
  check_floating(op, self);
  if (!(from <= to))
    op.fail<ValueError>("expects to return a [from, to) range, but found from={} > to={}", from,
                        to);
  const ScalarType type = self.dtype();
  for (const double end : {from, to}) check_fits(op, end, type);
  if (!std::isfinite(to - from))
    op.fail<ValueError>("expects to-from to be finite, but found to={} and from={}", to, from);
  const double low = round_to(from, type), high = round_to(to, type);
  const double last = low < high ? number_below(high, type) : low;
  return overwrite_drawn(op, self, UniformBetween(from, to, low, last));
}

Tensor& normal_(Tensor& self, double mean, double std, At at) {
  const Operation op("normal_", at);
  check_to_overwrite(op, self);
  check_floating(op, self);
  if (!(std >= 0)) op.fail<ValueError>("expects std >= 0.0, but found std {}", std);
  if (mean == 0 && std == 1) return overwrite_drawn(op, self, StandardNormal());
  return overwrite_drawn(op, self, NormalAround(mean, std));
}

Tensor normal(double mean, double std, IntArrayRef size, TensorOptions options, At at) {
  if (!is_floating_point(options.dtype()))
    throw DtypeError("normal: not defined for {}", name_of(options.dtype()));
  if (!(std >= 0)) throw ValueError("normal: expects std >= 0.0, but found std {}", std);
  Tensor result = empty(size, options.requires_grad(false));
  normal_(result, mean, std, at);
  if (options.requires_grad()) result.requires_grad_();
  return result;
}

Tensor& exponential_(Tensor& self, double lambd, At at) {
  const Operation op("exponential_", at);
  check_to_overwrite(op, self);
  check_floating(op, self);
  if (!(lambd > 0)) op.fail<ValueError>("expects lambda > 0.0, but found lambda={}", lambd);
  return overwrite_drawn(op, self, ExponentialOfRate(lambd));
}

Tensor& RandomMembers::uniform_(double from, double to, At at) const {
  return notape::uniform_(self(), from, to, at);
}
Tensor& RandomMembers::normal_(double mean, double std, At at) const {
  return notape::normal_(self(), mean, std, at);
}
Tensor& RandomMembers::exponential_(double lambd, At at) const {
  return notape::exponential_(self(), lambd, at);
}

}  // namespace notape
