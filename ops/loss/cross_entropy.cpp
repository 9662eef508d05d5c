// cross_entropy(x, t) = nll_loss(log_softmax(x), t) over the class dimension; of a target p that is
// a distribution over the classes c, the sum of -w[c] p[c] log_softmax(x)[c]. A smoothed target is
// (1 - s) t + s / C for C classes.
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/core/composite.h"
#include "ops/core/promotion.h"
#include "ops/core/refuse_gradient.h"
#include "ops/loss.h"
#include "ops/loss/nll_loss.h"
#include "ops/loss/terms.h"
#include "ops/reduce.h"
#include "ops/reduce/plain_exponentials.h"
#include "ops/reduce/reduction_spec.h"
#include "ops/selection.h"
#include "ops/shape.h"

namespace notape {
namespace {

OpCase draw_cross_entropy(Draw& draw) {
  return classification_case(
      draw,
      [](const Tensor& input, const Tensor& target, const Tensor& weight, Reduction reduction,
         int64_t ignore_index) {
        return cross_entropy(input, target, weight, reduction, ignore_index);
      },
      plain_log_softmax, Domain{.low = -kFarApart, .high = kFarApart});
}

const RegisterOp cross_entropy_row(op_row("cross_entropy", "loss", draw_cross_entropy,
                                          Trait::Accumulates | Trait::Averages));

/// A target that is a distribution, or classes that are smoothed.
OpCase draw_mixed(Draw& draw) {
  const Reduction reduction = draw_reduction(draw);
  std::vector<int64_t> sizes = draw_terms(draw, reduction, 3);
  const int64_t classes = draw.integer(2, 4);
  if (sizes.size() < 2) sizes.resize(1);
  const std::size_t dim = sizes.size() == 1 ? 0 : 1;
  sizes[dim] = classes;
  std::vector<int64_t> targets = sizes;
  targets.erase(targets.begin() + static_cast<std::ptrdiff_t>(dim));
  const bool distribution = draw.boolean(), weighted = draw.boolean();
  const double smoothing = draw.real(0, 1);
  std::vector<double> weights;
  for (int64_t c = 0; c < classes; ++c) weights.push_back(weighted ? draw.real(0.5, 2) : 1);
  OpCase one;
  one.label =
      format_message("{}, label_smoothing={}, {}{}",
                     {name_of(reduction), smoothing, distribution ? "distribution" : "classes",
                      weighted ? ", weight" : ""});
  one.arguments = {{.sizes = sizes},
                   distribution ? Argument{.sizes = sizes, .domain = {.low = 0, .high = 1}}
                                : Argument::index(targets, classes)};
  one.call = [=](const variable_list& x) {
    const auto options = TensorOptions(x[0].dtype()).device(x[0].device());
    return cross_entropy(x[0], x[1], weighted ? tensor(weights, options) : Tensor(), reduction,
                         -100, smoothing);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    const PlainSlices s(sizes, static_cast<int64_t>(dim));
    PlainTensor<T> terms(targets);
    T total = 0, count = T(static_cast<double>(terms.numel()));
    if (!distribution) count = 0;
    for (int64_t o = 0; o < s.outer; ++o)
      for (int64_t n = 0; n < s.inner; ++n) {
        const auto at = static_cast<std::size_t>(o * s.inner + n);
        std::vector<T> scores;
        for (int64_t c = 0; c < classes; ++c) scores.push_back(x[0].values[s.at(o, c, n)]);
        T sum = 0;
        for (const T& score : scores) sum += math::exp(score);
        for (int64_t c = 0; c < classes; ++c) {
          const auto k = static_cast<std::size_t>(c);
          T share = distribution ? x[1].values[s.at(o, c, n)]
                                 : T(static_cast<int64_t>(x[1].values[at]) == c ? 1 : 0);
          if (!distribution) count += share * T(weights[k]);
          share = share * T(1 - smoothing) + T(smoothing) / T(static_cast<double>(classes));
          terms.values[at] -= T(weights[k]) * share * (scores[k] - math::log(sum));
        }
        total += terms.values[at];
      }
    if (reduction == Reduction::None) return terms;
    PlainTensor<T> result(std::vector<int64_t>{});
    result.values[0] = reduction == Reduction::Sum ? total : total / count;
    return result;
  };
  return one;
}

const RegisterOp mixed_row(op_row("cross_entropy_mixed", "loss", draw_mixed, Trait::Accumulates));

/// One factor per class, to broadcast with the scores.
Tensor class_line(const Tensor& weight, const Tensor& scores, At at) {
  DimVector line(scores.sizes().size(), 1);
  line[static_cast<std::size_t>(class_dim(scores.dim()))] = weight.numel();
  return reshape(to(weight.detach(), scores.dtype(), at), line, at);
}

void check_weight(const Operation& op, const Tensor& input, const Tensor& weight) {
  if (!weight.defined()) return;
  check_operands(op, {&input, &weight});
  refuse_gradient(op, weight, "weight");
  const int64_t classes = input.size(class_dim(input.dim()));
  if (!(weight.sizes() == IntArrayRef(classes)))
    op.fail<ShapeError>(
        "weight tensor should be defined either for all {} classes or no classes but got weight "
        "tensor of shape: {}",
        classes, to_string(weight.sizes()));
}

/// The target has the input's shape.
Tensor of_distribution(const Operation& op, const Tensor& input, const Tensor& target,
                       const Tensor& weight, Reduction reduction, double smoothing) {
  const At at = op.at;
  require_floating(op, input);
  if (!(input.sizes() == target.sizes()))
    op.fail<ShapeError>(
        "Expected a target of class probabilities to have the input's shape {}, but got {}",
        to_string(input.sizes()), to_string(target.sizes()));
  check_weight(op, input, weight);
  const Composite composite({&input, &target});
  const int64_t dim = class_dim(input.dim()), classes = input.size(dim);
  const Promoted x = promoted({input, target}, at);
  Tensor shares = x[1];
  if (smoothing > 0)
    shares = add(mul(shares, 1 - smoothing, at), smoothing / static_cast<double>(classes), 1, at);
  Tensor terms = mul(log_softmax(x[0], dim, at), shares, at);
  if (weight.defined()) terms = mul(terms, class_line(weight, x[0], at), at);
  terms = neg(sum(terms, dim, false, at), at);
  return reduced_terms(terms, reduction, x.type, at);
}

/// (1 - s) of the loss of the classes, and s of that of all classes alike.
Tensor of_smoothed(const Operation& op, const Tensor& input, const Tensor& target,
                   const Tensor& weight, Reduction reduction, int64_t ignore_index,
                   double smoothing) {
  const At at = op.at;
  require_floating(op, input);
  check_weight(op, input, weight);
  const Composite composite({&input});
  const int64_t dim = class_dim(input.dim()), classes = input.size(dim);
  const Tensor scores = log_softmax(to(input, computed_in(input.dtype()), at), dim, at);
  const Tensor factors = weight.defined() ? to(weight.detach(), scores.dtype(), at) : Tensor();
  const Tensor of_class = nll_loss(scores, target, factors, Reduction::None, ignore_index, at);
  const Tensor all = weight.defined() ? mul(scores, class_line(factors, scores, at), at) : scores;
  const Tensor ignored = eq(target, ignore_index, at);
  const Tensor of_all = masked_fill(neg(sum(all, dim, false, at), at), ignored, 0, at);
  const Tensor terms = add(mul(of_class, 1 - smoothing, at),
                           mul(of_all, smoothing / static_cast<double>(classes), at), 1, at);
  if (reduction != Reduction::Mean) return reduced_terms(terms, reduction, input.dtype(), at);
  // The weights used: what nll_loss divides by.
  const Tensor minus_one =
      neg(ones(scores.sizes(), scores.options().device(scores.device().of_samples())), at);
  const Tensor used = nll_loss(minus_one, target, factors, Reduction::Sum, ignore_index, at);
  return to(div(sum(terms, at), used, at), input.dtype(), at);
}

}  // namespace

Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                     Reduction reduction, Integer ignore_index, double label_smoothing, At at) {
  const Operation op("cross_entropy", at);
  check_operands(op, {&input, &target});
  if (!(label_smoothing >= 0 && label_smoothing <= 1))
    op.fail<ValueError>("label_smoothing must be between 0.0 and 1.0. Got: {}", label_smoothing);
  if (input.dim() == 0) op.fail<ShapeError>("input tensor should have at least 1 dimension");
  if (target.is_floating_point()) {
    if (ignore_index >= 0)
      op.fail<ValueError>("ignore_index is not supported for floating point target");
    return of_distribution(op, input, target, weight, reduction, label_smoothing);
  }
  if (label_smoothing > 0)
    return of_smoothed(op, input, target, weight, reduction, ignore_index, label_smoothing);
  const Tensor scores = log_softmax(input, class_dim(input.dim()), at);
  return nll_loss(scores, target, weight, reduction, ignore_index, at);
}

}  // namespace notape
