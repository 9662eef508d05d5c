// cosine_embedding_loss(a, b, t) = 1 - c where t is 1, max(c - margin, 0) where it is -1, else 0,
// with the cosine c = sum(a b) / sqrt((sum(a^2) + 1e-12) (sum(b^2) + 1e-12)) of each pair.
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

OpCase draw_cosine_embedding_loss(Draw& draw) {
  const Reduction reduction = draw_reduction(draw);
  std::vector<int64_t> targets = draw_terms(draw, reduction, 1), sizes = targets;
  sizes.push_back(draw.integer(2, 4));  // of one number rounding alone is left
  // Not near the kink, where the cosine is the margin.
  const double margin = draw.boolean() ? -1.25 : 1.25;
  OpCase one = terms_case(
      reduction, targets.empty() ? 1 : targets[0],
      {{.sizes = sizes, .domain = {.low = 0.25, .high = 3}},
       {.sizes = sizes, .domain = {.low = -3, .high = -0.25}},
       Argument::boolean(targets)},
      [=](const variable_list& x, Reduction how) {
        return cosine_embedding_loss(x[0], x[1], to(x[2], kInt64) * 2 - 1, margin, how);
      },
      [=]<typename T>(const PlainList<T>& x) {
        PlainTensor<T> result(targets);
        const auto size = static_cast<std::size_t>(sizes.back());
        for (std::size_t n = 0; n < result.values.size(); ++n) {
          T product = 0, a = T(1e-12), b = T(1e-12);
          for (std::size_t i = n * size; i < (n + 1) * size; ++i) {
            product += x[0].values[i] * x[1].values[i];
            a += x[0].values[i] * x[0].values[i];
            b += x[1].values[i] * x[1].values[i];
          }
          const T cosine = product / math::sqrt(a * b);
          result.values[n] = x[2].values[n] != 0 ? 1 - cosine : math::max(cosine - T(margin), T(0));
        }
        return result;
      });
  one.label += format_message(", margin={}", {margin});
  return one;
}

const RegisterOp cosine_embedding_loss_row(op_row("cosine_embedding_loss", "loss",
                                                  draw_cosine_embedding_loss,
                                                  Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             double margin, Reduction reduction, At at) {
  const Operation op("cosine_embedding_loss", at);
  check_broadcast(op, {&input1, &input2});
  check_operands(op, {&input1, &target});
  if (target.dim() > 1)
    op.fail<ShapeError>("0D or 1D target tensor expected, multi-target not supported");
  if (input1.dim() != target.dim() + 1 || input2.dim() != target.dim() + 1)
    op.fail<ShapeError>(
        "{}D target tensor expects {}D input tensors, but found inputs with sizes {} and {}.",
        target.dim(), target.dim() + 1, to_string(input1.sizes()), to_string(input2.sizes()));
  const Composite composite({&input1, &input2});
  const Promoted x = promoted({input1, input2}, at);
  const auto length = [&](const Tensor& z) {
    return sqrt(add(sum(square(z, at), -1, false, at), 1e-12, 1, at), at);
  };
  const Tensor product = sum(mul(x[0], x[1], at), -1, false, at);
  const Tensor cosine = div(product, mul(length(x[0]), length(x[1]), at), at);
  broadcast_sizes(op, cosine.sizes(), target.sizes());
  const Tensor alike = where(eq(target, 1, at), rsub(cosine, 1, at), 0, at);
  const Tensor apart =
      where(eq(target, -1, at), clamp_min(sub(cosine, margin, 1, at), 0, at), 0, at);
  return reduced_terms(add(alike, apart, 1, at), reduction, x.type, at);
}

}  // namespace notape
