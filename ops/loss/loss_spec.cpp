#include "ops/loss/loss_spec.h"

#include "autograd/tensor/factories.h"
#include "ops/spec/far_domain.h"

namespace notape {
namespace {

template <typename T>
int64_t plain_class_dim(const PlainTensor<T>& input) {
  return input.dim() == 1 ? 0 : 1;
}

/// input (N, C, D), target (N, D), with D all that follows the classes
template <typename T>
PlainTensor<T> loss_spec_plain_loss(const PlainTensor<T>& input, const PlainTensor<T>& target,
                                    const PlainTensor<T>* weight, const Classification& how,
                                    const SliceFunction& log_probabilities) {
  const PlainSlices s(input.sizes, plain_class_dim(input));
  PlainTensor<T> terms(target.sizes);
  T sum = 0, total = 0;
  for (int64_t o = 0; o < s.outer; ++o)
    for (int64_t n = 0; n < s.inner; ++n) {
      const auto at = static_cast<std::size_t>(o * s.inner + n);
      const auto label = static_cast<std::size_t>(static_cast<int64_t>(target.values[at]));
      if (static_cast<int64_t>(label) == how.ignore_index) continue;
      std::vector<T> scores;
      for (int64_t c = 0; c < s.size; ++c) scores.push_back(input.values[s.at(o, c, n)]);
      const T w = weight ? weight->values[label] : T(1);
      terms.values[at] = -w * log_probabilities(scores)[label];
      sum += terms.values[at];
      total += w;
    }
  if (how.reduction == Reduction::None) return terms;
  PlainTensor<T> result(std::vector<int64_t>{});
  result.values[0] = how.reduction == Reduction::Sum ? sum : sum / total;
  return result;
}

}  // namespace

Reduction draw_reduction(Draw& draw) { return static_cast<Reduction>(draw.integer(0, 2)); }

const char* name_of(Reduction reduction) {
  constexpr const char* names[] = {"none", "mean", "sum"};
  return names[static_cast<int>(reduction)];
}

OpCase classification_case(Draw& draw, const ClassificationCall& call,
                           SliceFunction log_probabilities, std::optional<Domain> far) {
  std::vector<int64_t> sizes = draw.shape(1, 4, 1);
  const int64_t classes = draw.integer(2, 5);
  std::vector<int64_t> targets = sizes;
  if (sizes.size() == 1) {
    sizes[0] = classes;
    targets.clear();
  } else {
    sizes[1] = classes;
    targets.erase(targets.begin() + 1);
  }
  Classification how{draw.boolean(), draw_reduction(draw), -100};
  // A mean over targets that are all ignored is NaN.
  if (how.reduction != Reduction::Mean && draw.boolean()) how.ignore_index = 0;
  OpCase one;
  one.label = name_of(how.reduction);
  if (how.reduction == Reduction::Mean)
    for (int64_t size : targets) one.averaged *= size;
  if (how.weighted) one.label += ", weight";
  if (how.ignore_index >= 0) one.label += ", ignore_index=0";
  one.arguments = {{.sizes = sizes, .domain = near_or_far(draw, {}, far)},
                   Argument::index(targets, classes)};
  // The weight is a constant of the case: it has no derivative.
  std::vector<double> weights;
  for (int64_t c = 0; how.weighted && c < classes; ++c) weights.push_back(draw.real(0.5, 2));
  // A class may have no weight at all, but a mean needs some.
  if (how.weighted && how.reduction != Reduction::Mean && draw.boolean())
    weights[static_cast<std::size_t>(draw.integer(0, classes - 1))] = 0;
  one.call = [=](const variable_list& x) {
    const Tensor weight = how.weighted
                              ? tensor(weights, TensorOptions(x[0].dtype()).device(x[0].device()))
                              : Tensor();
    return call(x[0], x[1], weight, how.reduction, how.ignore_index);
  };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> weight({classes});
    for (std::size_t c = 0; c < weights.size(); ++c) weight.values[c] = weights[c];
    return loss_spec_plain_loss(x[0], x[1], how.weighted ? &weight : nullptr, how,
                                log_probabilities);
  };
  return one;
}

}  // namespace notape
