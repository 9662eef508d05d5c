// triplet_margin_loss(a, p, n) = max(|a - p| - |a - n| + margin, 0) with pairwise_distance; with
// swap the smaller of |a - n| and |p - n|.
#include "ops/arithmetic.h"
#include "ops/loss.h"
#include "ops/loss/terms.h"
#include "ops/selection.h"

namespace notape {
namespace {

OpCase draw_triplet_margin_loss(Draw& draw) {
  const Reduction reduction = draw_reduction(draw);
  std::vector<int64_t> targets = draw_terms(draw, reduction, 2), sizes = targets;
  sizes.push_back(draw.integer(2, 4));  // of one, slopes would cancel
  const bool swap = draw.boolean();
  int64_t count = 1;
  for (int64_t size : targets) count *= size;
  OpCase one = terms_case(
      reduction, count,
      // Apart, so that no distance is 0 and no two tie; with this margin the loss is positive.
      {{.sizes = sizes, .domain = {.low = 2, .high = 3}},
       {.sizes = sizes, .domain = {.low = 0, .high = 0.5}},
       {.sizes = sizes, .domain = {.low = -2.5, .high = -2}}},
      [=](const variable_list& x, Reduction how) {
        return triplet_margin_loss(x[0], x[1], x[2], 12, 2, 1e-6, swap, how);
      },
      [=]<typename T>(const PlainList<T>& x) {
        PlainTensor<T> result(targets);
        const auto size = static_cast<std::size_t>(sizes.back());
        for (std::size_t n = 0; n < result.values.size(); ++n) {
          const auto distance = [&](std::size_t a, std::size_t b) {
            T squares = 0;
            for (std::size_t i = n * size; i < (n + 1) * size; ++i) {
              const T z = x[a].values[i] - x[b].values[i] + T(1e-6);
              squares += z * z;
            }
            return math::sqrt(squares);
          };
          result.values[n] = distance(0, 1) - distance(swap ? 1 : 0, 2) + 12;
        }
        return result;
      });
  if (swap) one.label += ", swap";
  return one;
}

const RegisterOp triplet_margin_loss_row(op_row("triplet_margin_loss", "loss",
                                                draw_triplet_margin_loss,
                                                Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin, double p, double eps, bool swap, Reduction reduction,
                           At at) {
  const Operation op("triplet_margin_loss", at);
  check_operands(op, {&anchor, &positive, &negative});
  if (anchor.dim() != positive.dim() || anchor.dim() != negative.dim())
    op.fail<ShapeError>(
        "The anchor, positive, and negative tensors are expected to have the same number of "
        "dimensions, but got: anchor {}D, positive {}D, and negative {}D inputs",
        anchor.dim(), positive.dim(), negative.dim());
  check_broadcast(op, {&anchor, &positive, &negative});
  const Composite composite({&anchor, &positive, &negative});
  const Promoted x = promoted({anchor, positive, negative}, at);
  const Tensor near = pairwise_distance(x[0], x[1], p, eps, false, at);
  Tensor far = pairwise_distance(x[0], x[2], p, eps, false, at);
  if (swap) far = minimum(far, pairwise_distance(x[1], x[2], p, eps, false, at), at);
  const Tensor terms = clamp_min(add(sub(near, far, 1, at), margin, 1, at), 0, at);
  return reduced_terms(terms, reduction, x.type, at);
}

}  // namespace notape
