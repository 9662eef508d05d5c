// bernoulli(p)[i] = 1 with probability p[i], else 0; its derivative is 0.
#include "autograd/tensor/factories.h"
#include "ops/comparison.h"
#include "ops/core/promotion.h"
#include "ops/random.h"
#include "ops/random/overwrite.h"

namespace notape {
namespace {

constexpr auto zero = [](const Tensor& grad) { return zeros_like(grad); };
constexpr auto kBernoulliDerivative = derivative("BernoulliBackward0", rule(zero, zero));

void check_probability(const Operation& op, double p) {
  if (!(p >= 0 && p <= 1)) op.fail<ValueError>("expects p to be in [0, 1], but got p={}", p);
}

void check_probabilities(const Operation& op, const Tensor& p) {
  check_floating(op, p);
  const Tensor plain =
      is_batched(p) ? with_batch_dims(p, levels_of(p), p.dim()) : raw_alias(p, p.impl().geometry());
  const Tensor values = raw_contiguous(core_operators->convert(plain, kFloat64, kCPU));
  for (int64_t i = 0; i < values.numel(); ++i)
    check_probability(op, values.impl().data_as<double>()[i]);
}

/// Of self's shape and `type`; `p` broadcasts to it.
Tensor draw_with(const Operation& op, const Tensor& self, const Tensor& p, ScalarType type) {
  const Tensor uniform =
      draw_of_uniform(op.name, self.sizes(), kFloat64, [](double u) { return u; });
  const Tensor there = core_operators->convert(uniform, kFloat64, self.device().of_samples());
  return raw_convert(lt(there, p, op.at), type);
}

}  // namespace

Tensor& bernoulli_(Tensor& self, double p, At at) {
  const Operation op("bernoulli_", at);
  check_to_overwrite(op, self);
  check_probability(op, p);
  return overwrite_with(op, self,
                        draw_of_uniform(op.name, self.sizes(), self.dtype(),
                                        [p](double u) { return u < p ? 1.0 : 0.0; }));
}

Tensor& bernoulli_(Tensor& self, const Tensor& p, At at) {
  const Operation op("bernoulli_", at);
  check_to_overwrite(op, self);
  check_operands(op, {&self, &p});
  if (is_batched(p)) [[unlikely]]
    check_write(op, self, {&p});
  check_probabilities(op, p);
  if (!is_expandable_to(p.sizes(), self.sizes()))
    op.fail<ShapeError>("p of size {} cannot be expanded to {}", to_string(p.sizes()),
                        to_string(self.sizes()));
  return overwrite_with(op, self, draw_with(op, self, p, self.dtype()));
}

Tensor bernoulli(const Tensor& self, At at) {
  const Operation op("bernoulli", at);
  check_operand(op, self);
  check_probabilities(op, self);
  return record(kBernoulliDerivative, op, draw_with(op, self, self, self.dtype()), NoParameters{},
                self);
}

Tensor bernoulli(const Tensor& self, double p, At at) {
  const Operation op("bernoulli", at);
  check_operand(op, self);
  check_probability(op, p);
  const Tensor drawn = draw_of_uniform(op.name, self.sizes(), self.dtype(),
                                       [p](double u) { return u < p ? 1.0 : 0.0; });
  return record(kBernoulliDerivative, op,
                core_operators->convert(drawn, self.dtype(), self.device().of_samples()),
                NoParameters{}, self);
}
Tensor bernoulli(const Tensor& self, const Tensor& p, At at) {
  const Operation op("bernoulli", at);
  check_operand(op, self);
  Tensor drawn = empty_like(self.detach());
  return record(kBernoulliDerivative, op, notape::bernoulli_(drawn, p, at), NoParameters{}, self);
}

Tensor& RandomMembers::bernoulli_(double p, At at) const {
  return notape::bernoulli_(self(), p, at);
}
Tensor& RandomMembers::bernoulli_(const Tensor& p, At at) const {
  return notape::bernoulli_(self(), p, at);
}
Tensor RandomMembers::bernoulli(At at) const { return notape::bernoulli(self(), at); }
Tensor RandomMembers::bernoulli(double p, At at) const { return notape::bernoulli(self(), p, at); }
Tensor RandomMembers::bernoulli(const Tensor& p, At at) const {
  return notape::bernoulli(self(), p, at);
}

}  // namespace notape
