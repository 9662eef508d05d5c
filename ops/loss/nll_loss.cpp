// nll_loss(x, t)[n] = -w[t[n]] x[n, t[n]] for log-probabilities x and class numbers t; the mean is
// weighted: the sum over n divided by the sum of w[t[n]]. Ignored targets count for nothing.
#include "autograd/tensor/factories.h"
#include "ops/core/refuse_gradient.h"
#include "ops/loss/loss_spec.h"
#include "ops/ops.h"
#include "ops/reduce/reduce.h"

namespace notape {
namespace {

/// Which class each target names, as it is, and the derivative of the loss with respect to its
/// value. Own tensors, so that targets and weights may change before the gradient is taken.
struct Picks {
  Tensor labels, coefficient;  // (N, 1, d1, ...), or (1)
};
struct NllLoss {
  Reduction reduction;
  int64_t ignore_index;
  bool any_ignored;
};

int64_t class_dim(int64_t input_rank) { return input_rank == 1 ? 0 : 1; }

/// Ignored labels need not be classes, and stand for the first one.
Tensor index_of(const Tensor& labels, const NllLoss& p) {
  return p.any_ignored ? masked_fill(labels, eq(labels, p.ignore_index), 0) : labels;
}
/// Nothing where the label is ignored, whatever the terms are there.
Tensor without_ignored(const Tensor& terms, const Tensor& labels, const NllLoss& p) {
  return p.any_ignored ? masked_fill(terms, eq(labels, p.ignore_index), 0) : terms;
}

constexpr auto kDerivative = derivative(
    "NllLossBackward0",
    selection(
        [](const Tensor& grad, const Meta<0>& input, const Input<1>& labels,
           const Input<2>& coefficient, const NllLoss& p) {
          const int64_t dim = class_dim(input.dim());
          const Tensor each = p.reduction == Reduction::None ? unsqueeze(grad, dim) : grad;
          return scatter_add(zeros(input.sizes(), TensorOptions(input.dtype())), dim,
                             index_of(labels, p), without_ignored(each * coefficient, labels, p));
        },
        [](const Tensor& tangent, const Input<1>& labels, const Input<2>& coefficient,
           const NllLoss& p) {
          const int64_t dim = class_dim(tangent.dim());
          const Tensor picked = gather(tangent, dim, index_of(labels, p));
          const Tensor terms = without_ignored(picked * coefficient, labels, p);
          return p.reduction == Reduction::None ? squeeze(terms, dim) : sum(terms);
        }),
    not_differentiable, not_differentiable);

void check_arguments(const Operation& op, const Tensor& input, const Tensor& target,
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

Picks make_picks(const Operation& op, const Tensor& input, const Tensor& target,
                 int64_t ignore_index) {
  const int64_t dim = class_dim(input.dim()), classes = input.size(dim);
  std::vector<int64_t> sizes = input.sizes().vec();
  sizes[static_cast<std::size_t>(dim)] = 1;
  const Picks picks{allocate(sizes, kInt64, kCPU), allocate(sizes, input.dtype(), kCPU)};
  const Tensor labels = raw_convert(raw_contiguous(target), kInt64);
  for (int64_t i = 0; i < labels.numel(); ++i) {
    const int64_t label = labels.impl().data_as<int64_t>()[i];
    if (label != ignore_index && (label < 0 || label >= classes))
      op.fail<IndexError>("Target {} is out of bounds.", label);
    picks.labels.impl().data_as<int64_t>()[i] = label;
  }
  return picks;
}

/// Computes the loss and fills the coefficients; says whether a target is ignored, which counts for
/// nothing. A weight of 0 is a number like others: times infinity or NaN it gives NaN. `losses` has
/// the shape of the target.
template <typename T>
bool run(const Tensor& input, const Tensor& weight, Reduction reduction, int64_t ignore_index,
         const Picks& picks, const Tensor& result) {
  const Slices s(input.sizes(), class_dim(input.dim()));
  const int64_t count = picks.labels.numel();
  const T* values = input.impl().data_as<T>();
  const T* weights = weight.defined() ? weight.impl().data_as<T>() : nullptr;
  const auto* label = picks.labels.impl().data_as<int64_t>();
  T* coefficient = picks.coefficient.impl().data_as<T>();
  T* losses = result.impl().data_as<T>();
  double sum = 0, total = 0;
  bool any_ignored = false;
  for (int64_t i = 0; i < count; ++i) {
    T loss = 0, w = 0;
    if (label[i] == ignore_index) {
      any_ignored = true;
    } else {
      w = weights ? weights[label[i]] : T(1);
      loss = -w * values[(i / s.inner * s.size + label[i]) * s.inner + i % s.inner];
    }
    coefficient[i] = -w;
    if (reduction == Reduction::None) losses[i] = loss;
    sum += static_cast<double>(loss);
    total += static_cast<double>(w);
  }
  if (reduction == Reduction::None) return any_ignored;
  const double divisor = reduction == Reduction::Mean ? total : 1;
  *losses = static_cast<T>(sum / divisor);
  for (int64_t i = 0; i < count; ++i)
    if (label[i] != ignore_index)
      coefficient[i] = static_cast<T>(static_cast<double>(coefficient[i]) / divisor);
  return any_ignored;
}

/// The loss put together from operators that have batching rules.
Tensor loss_of_samples(const Tensor& input, const Tensor& target, const Tensor& weight,
                       Reduction reduction, int64_t ignore_index, At at) {
  const int64_t dim = class_dim(input.dim());
  const Tensor labels = unsqueeze(to(target, kInt64, at), dim, at);
  const Tensor ignored = eq(labels, ignore_index, at);
  const Tensor index = masked_fill(labels, ignored, 0, at);
  DimVector line(static_cast<std::size_t>(input.dim()), 1);
  line[static_cast<std::size_t>(dim)] = input.size(dim);
  const Tensor weights = weight.defined() ? to(weight.detach(), input.dtype(), at)
                                          : ones({input.size(dim)}, TensorOptions(input.dtype()));
  const Tensor all_weights = expand(reshape(weights, line, at), input.sizes(), at);
  const Tensor w = masked_fill(gather(all_weights, dim, index, at), ignored, 0, at);
  const Tensor terms = masked_fill(-w * gather(input, dim, index, at), ignored, 0, at);
  if (reduction == Reduction::None) return squeeze(terms, dim, at);
  const Tensor total = sum(terms, at);
  return reduction == Reduction::Sum ? total : div(total, sum(w, at), at);
}

OpCase draw_case(Draw& draw) {
  return classification_case(
      draw,
      [](const Tensor& input, const Tensor& target, const Tensor& weight, Reduction reduction,
         int64_t ignore_index) { return nll_loss(input, target, weight, reduction, ignore_index); },
      []<typename T>(const std::vector<T>& scores) { return scores; });
}

const RegisterOp row(
    {.name = "nll_loss", .family = "loss", .draw = draw_case, .traits = Trait::Locates});

}  // namespace

Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                Reduction reduction, int64_t ignore_index, At at) {
  const Operation op("nll_loss", at);
  check_arguments(op, input, target, weight);
  if (any_batched(input, target, weight))
    return loss_of_samples(input, target, weight, reduction, ignore_index, at);
  require_cpu(op, input);
  const Picks picks = make_picks(op, input, target, ignore_index);
  const Tensor values = raw_contiguous(input);
  const Tensor weights =
      weight.defined() ? raw_convert(raw_contiguous(weight), input.dtype()) : weight;
  Tensor result = allocate(reduction == Reduction::None ? target.sizes() : IntArrayRef(),
                           input.dtype(), input.device());
  const bool any_ignored = visit_floating(input.dtype(), [&]<typename T>() {
    return run<T>(values, weights, reduction, ignore_index, picks, result);
  });
  return record(kDerivative, op, std::move(result), NllLoss{reduction, ignore_index, any_ignored},
                input, picks.labels, picks.coefficient);
}

}  // namespace notape
