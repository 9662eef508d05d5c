// nll_loss(x, t)[n] = -w[t[n]] x[n, t[n]] for log-probabilities x and class numbers t; the mean is
// weighted: the sum over n divided by the sum of w[t[n]]. Ignored targets count for nothing.
#include "ops/loss/nll_loss.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/autocast.h"
#include "ops/core/refuse_gradient.h"
#include "ops/index.h"
#include "ops/loss.h"
#include "ops/loss/loss_spec.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

struct NllLoss {
  Reduction reduction;
  int64_t ignore_index;
  bool any_ignored;
};

/// Ignored labels need not be classes, and stand for the first one.
Tensor index_of(const Tensor& labels, const NllLoss& p) {
  return p.any_ignored ? masked_fill(labels, eq(labels, p.ignore_index), 0) : labels;
}
/// Nothing where the label is ignored, whatever the terms are there.
Tensor without_ignored(const Tensor& terms, const Tensor& labels, const NllLoss& p) {
  return p.any_ignored ? masked_fill(terms, eq(labels, p.ignore_index), 0) : terms;
}

TensorOptions options_like(ScalarType dtype, const Tensor& neighbour) {
  return TensorOptions(dtype).device(neighbour.device().of_samples());
}

/// Whether the kernel may compute a gradient: nobody differentiates it again.
bool is_computed_once(const Tensor& grad, const Tensor& labels) {
  return !thread_state.grad_mode && thread_state.forward_levels == 0 &&
         !any_batched(grad, labels) && nll_loss_gradient_kernel.is_offered_on(grad.device());
}

constexpr auto kNllLossDerivative =
    derivative("NllLossBackward0",
               selection(
                   [](const Tensor& grad, const Meta<0>& input, const Input<1>& labels,
                      const Input<2>& coefficient, const NllLoss& p) {
                     const int64_t dim = class_dim(input.dim());
                     if (is_computed_once(grad, labels)) {
                       const Tensor result = allocate(input.sizes(), input.dtype(), grad.device());
                       nll_loss_gradient_kernel({"nll_loss_backward", At::current()}, input.dtype(),
                                                grad.device(), result, raw_contiguous(grad),
                                                {labels, coefficient}, p.ignore_index);
                       return result;
                     }
                     const Tensor each =
                         p.reduction == Reduction::None ? unsqueeze(grad, dim) : grad;
                     const Tensor nothing = zeros(input.sizes(), options_like(input.dtype(), grad));
                     if (input.sizes()[static_cast<std::size_t>(dim)] == 0)
                       return nothing;  // all labels are ignored
                     return scatter_add(nothing, dim, index_of(labels, p),
                                        without_ignored(each * coefficient, labels, p));
                   },
                   [](const Tensor& tangent, const Input<1>& labels, const Input<2>& coefficient,
                      const NllLoss& p) {
                     const int64_t dim = class_dim(tangent.dim());
                     const Tensor picked = tangent.size(dim) == 0
                                               ? zeros_like(coefficient)
                                               : gather(tangent, dim, index_of(labels, p));
                     const Tensor terms = without_ignored(picked * coefficient, labels, p);
                     return p.reduction == Reduction::None ? squeeze(terms, dim) : sum(terms);
                   }),
               not_differentiable, not_differentiable)
        .with_arguments<"self", "target", "weight">();

void check_nll_loss_arguments(const Operation& op, const Tensor& input, const Tensor& target,
                              const Tensor& weight) {
  check_operands(op, {&input, &target});
  require_floating(op, input);
  if (input.dim() == 0) op.fail<ShapeError>("input tensor should have at least 1 dimension");
  if (target.dtype() != kInt64 && target.dtype() != kByte)
    op.fail<DtypeError>("expected a target of dtype int64 but found {}", name_of(target.dtype()));
  std::vector<int64_t> expected = input.sizes().vec();
  const int64_t dim = class_dim(input.dim()), classes = input.size(dim);
  expected.erase(expected.begin() + dim);
  if (input.dim() > 1 && target.dim() > 0 && target.size(0) != expected[0])
    op.fail<ShapeError>("Expected input batch_size ({}) to match target batch_size ({}).",
                        expected[0], target.size(0));
  if (!(target.sizes() == IntArrayRef(expected)))
    op.fail<ShapeError>("Expected target size {}, got {}", to_string(expected),
                        to_string(target.sizes()));
  if (!weight.defined()) return;
  check_operands(op, {&input, &weight});
  if (!(weight.sizes() == IntArrayRef(classes)))
    op.fail<ShapeError>(
        "weight tensor should be defined either for all {} classes or no classes but got weight "
        "tensor of shape: {}",
        classes, to_string(weight.sizes()));
  refuse_gradient(op, weight, "weight");
}

/// The loss put together from operators, for batches, for devices without a kernel and for numbers
/// of 16 bits.
Tensor loss_of_samples(const Tensor& input, const Tensor& target, const Tensor& weight,
                       Reduction reduction, int64_t ignore_index, At at) {
  const int64_t dim = class_dim(input.dim());
  const Tensor labels = unsqueeze(to(target, kInt64, at), dim, at);
  const Tensor ignored = eq(labels, ignore_index, at);
  const Tensor index = masked_fill(labels, ignored, 0, at);
  DimVector line(static_cast<std::size_t>(input.dim()), 1);
  line[static_cast<std::size_t>(dim)] = input.size(dim);
  const Tensor weights = weight.defined()
                             ? to(weight.detach(), input.dtype(), at)
                             : ones({input.size(dim)}, options_like(input.dtype(), input));
  const Tensor all_weights = expand(reshape(weights, line, at), input.sizes(), at);
  const Tensor w = masked_fill(gather(all_weights, dim, index, at), ignored, 0, at);
  const Tensor terms = masked_fill(-w * gather(input, dim, index, at), ignored, 0, at);
  if (reduction == Reduction::None) return squeeze(terms, dim, at);
  const Tensor total = sum(terms, at);
  return reduction == Reduction::Sum ? total : div(total, sum(w, at), at);
}

OpCase draw_nll_loss(Draw& draw) {
  return classification_case(
      draw,
      [](const Tensor& input, const Tensor& target, const Tensor& weight, Reduction reduction,
         int64_t ignore_index) { return nll_loss(input, target, weight, reduction, ignore_index); },
      []<typename T>(const std::vector<T>& scores) { return scores; });
}

const RegisterOp nll_loss_row(op_row("nll_loss", "loss", draw_nll_loss,
                                     Trait::Locates | Trait::Accumulates | Trait::Averages));

}  // namespace

Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                Reduction reduction, Integer ignore_index, At at) {
  if (in_autocast(input)) [[unlikely]]
    return autocast_to_float32(
        at,
        [&](const Tensor& x, const Tensor& w) {
          return nll_loss(x, target, w, reduction, ignore_index, at);
        },
        input, weight);
  const Operation op("nll_loss", at);
  check_nll_loss_arguments(op, input, target, weight);
  const Device device = input.device();
  if (any_batched(input, target, weight) || !nll_loss_kernel.is_offered_on(device) ||
      is_reduced_floating_point(input.dtype()))
    return loss_of_samples(input, target, weight, reduction, ignore_index, at);
  const ScalarType type = input.dtype();
  std::vector<int64_t> sizes = input.sizes().vec();
  sizes[static_cast<std::size_t>(class_dim(input.dim()))] = 1;
  const Picks picks{allocate(sizes, kInt64, device), allocate(sizes, type, device)};
  raw_copy(raw_alias(picks.labels, Geometry(target.sizes())), target);
  Tensor result =
      allocate(reduction == Reduction::None ? target.sizes() : IntArrayRef(), type, device);
  bool any_ignored = false;
  nll_loss_kernel(op, type, device, result, picks, raw_contiguous(input),
                  weight.defined() ? raw_convert(raw_contiguous(weight), type) : weight, reduction,
                  ignore_index, any_ignored);
  return record(kNllLossDerivative, op, std::move(result),
                NllLoss{reduction, ignore_index, any_ignored}, input, picks.labels,
                picks.coefficient);
}

}  // namespace notape
