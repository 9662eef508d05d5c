#include "verify/checks/duals.h"

#include "autograd/autograd.h"

namespace notape::verify {

Sample forward_slope(const Subject& subject, const Direction& u, const NoisePoint* point) {
  namespace forward_ad = autograd::forward_ad;
  const NoGradGuard no_grad;
  const forward_ad::DualLevelGuard level;
  variable_list inputs = subject.inputs(0, Placement::Contiguous, point ? &point->values : nullptr);
  for (std::size_t a = 0; a < inputs.size(); ++a)
    if (!u.parts[a].empty())
      inputs[a] = forward_ad::make_dual(
          inputs[a], make_tensor(u.parts[a], subject.drawn.arguments[a].argument.sizes,
                                 subject.dtype, subject.device));
  const auto [primal, tangent] = forward_ad::unpack_dual(subject.drawn.op.call(inputs));
  if (!tangent.defined()) return {};
  if (!(tangent.sizes() == primal.sizes()) || tangent.dtype() != primal.dtype())
    throw TangentError("the tangent is {} of size {}, the result {} of size {}",
                       name_of(tangent.dtype()), to_string(tangent.sizes()),
                       name_of(primal.dtype()), to_string(primal.sizes()));
  const Numbers numbers = numbers_of(tangent);
  return weighted_sum(point ? point->incoming : subject.incoming(),
                      std::vector<Wide>(numbers.begin(), numbers.end()));
}

std::optional<Sample> forward_slope_if_any(const Subject& subject, const Direction& u,
                                           const NoisePoint* point) {
  if (!subject.spec.forward_mode) return {};
  try {
    return forward_slope(subject, u, point);
  } catch (const ForwardNotImplemented&) {
    return {};  // a function of a user's may do without
  }
}

}  // namespace notape::verify
