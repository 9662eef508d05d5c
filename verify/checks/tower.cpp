#include "verify/checks/tower.h"

#include "autograd/autograd.h"

namespace notape::verify {
namespace {

/// What is differentiated next: tensors, and what to multiply them with.
struct Level {
  variable_list tensors, weights;
};

Sample sum_of(const Level& level) {
  Sample sum;
  for (std::size_t i = 0; i < level.tensors.size(); ++i) {
    const Numbers values = numbers_of(level.tensors[i]);
    sum += weighted_sum(numbers_of(level.weights[i]), {values.begin(), values.end()});
  }
  return sum;
}

}  // namespace

Numbers signs_of_result(const Subject& subject) {
  Numbers q;
  for (std::size_t i = 0; i < subject.incoming().size(); ++i)
    q.push_back(keyed_bits(subject.drawn.key, 1 << 22, i) & 1 ? 1 : -1);
  return q;
}

Tower derivative_tower(const Subject& subject, const Direction& u, const Numbers& q,
                       const NoisePoint* point) {
  const variable_list inputs =
      subject.inputs(kAllArguments, Placement::Contiguous, point ? &point->values : nullptr);
  const Tensor incoming =
      subject.output_tensor(point ? point->incoming : subject.incoming()).requires_grad_(true);
  const Tensor output = subject.drawn.op.call(inputs);
  Tower result;
  if (!output.requires_grad()) return result;
  variable_list leaves, directions;
  for (std::size_t a : subject.real_arguments()) {
    leaves.push_back(inputs[a]);
    directions.push_back(make_tensor(u.parts[a], subject.drawn.arguments[a].argument.sizes,
                                     subject.dtype, subject.device));
  }
  leaves.push_back(incoming);
  const Tensor signs = subject.output_tensor(q);
  Level level{{output}, {incoming}};
  Sample* const slopes[] = {&result.first, &result.second, &result.third};
  for (Sample* slope : slopes) {
    const auto gradients =
        autograd::grad(level.tensors, leaves, level.weights, true, slope != slopes[2], true);
    if (slope == slopes[2] && gradients.back().defined())
      result.moving = sum_of({{gradients.back()}, {signs}});
    Level all, next;
    for (std::size_t i = 0; i < directions.size(); ++i) {
      if (!gradients[i].defined()) continue;
      Level& kept = gradients[i].requires_grad() ? next : all;
      kept.tensors.push_back(gradients[i]);
      kept.weights.push_back(directions[i]);
    }
    *slope = sum_of(next);
    *slope += sum_of(all);
    if (next.tensors.empty()) break;
    level = std::move(next);
  }
  return result;
}

}  // namespace notape::verify
