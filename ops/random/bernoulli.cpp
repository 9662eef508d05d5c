// bernoulli(p)[i] = 1 with probability p[i], else 0; its derivative is 0.
#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/comparison.h"
#include "ops/core/check_values.h"
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
  check_values(op, p, {0, 1, "expects p to be in [0, 1], but got p={}"});
}

/// Of self's shape and `type`; `p` broadcasts to it.
Tensor draw_with(const Operation& op, const Tensor& self, const Tensor& p, ScalarType type) {
  const Tensor u = draw_elements(op, self.sizes(), kFloat64, self.device(), UniformBelowOne());
  return raw_convert(lt(u, p, op.at), type);
}

}  // namespace

Tensor& bernoulli_(Tensor& self, double p, At at) {
  const Operation op("bernoulli_", at);
  check_to_overwrite(op, self);
  check_probability(op, p);
  return overwrite_drawn(op, self, OneWithProbability(p));
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
  const Tensor drawn =
      draw_elements(op, self.sizes(), self.dtype(), self.device(), OneWithProbability(p));
  return record(kBernoulliDerivative, op, drawn, NoParameters{}, self);
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
