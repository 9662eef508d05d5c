#include "verify/mutate/truth.h"

#include <limits>

#include "autograd/autograd.h"
#include "autograd/forward/tangent.h"

namespace notape::verify::mutate {

Tensor Truth::value(const variable_list& x) const {
  const NoGradGuard no_grad;
  const ForwardLevelLimit no_tangents(0);
  return call_(x).clone();
}

Tensor Truth::gradient(std::size_t i, const variable_list& x, const Tensor& incoming) const {
  const bool differentiable = GradMode::is_enabled();
  const EnableGradGuard recording;
  // Copies, so that an input computed from another one keeps the two apart.
  variable_list copies;
  for (const Tensor& input : x)
    copies.push_back(!input.is_floating_point() ? input
                     : differentiable
                         ? input.clone()
                         : input.detach().clone().requires_grad_(input.requires_grad()));
  if (!copies[i].requires_grad()) copies[i].requires_grad_(true);
  const Tensor output = call_(copies);
  if (!output.requires_grad()) return {};
  return autograd::grad({output}, {copies[i]}, {incoming}, differentiable, differentiable, true)[0];
}

Tensor Truth::tangent(std::size_t i, const variable_list& x, const Tensor& tangent) const {
  namespace forward_ad = autograd::forward_ad;
  const NoGradGuard no_grad;
  // Without the tangents of the level that asks; the new level lies above it.
  variable_list copies;
  for (const Tensor& input : x) copies.push_back(input.detach().clone());
  const Tensor direction = tangent.detach().clone();
  const ForwardLevelLimit every_level(std::numeric_limits<uint64_t>::max());
  const forward_ad::DualLevelGuard level;
  copies[i] = forward_ad::make_dual(copies[i], direction);
  // At ties it counts which arguments move, be it by nothing.
  for (std::size_t j = 0; j < x.size(); ++j)
    if (j != i && x[j].requires_grad())
      copies[j] = forward_ad::make_dual(copies[j], zeros_like(copies[j]));
  const auto [primal, moved] = forward_ad::unpack_dual(call_(copies));
  return moved.defined() ? moved : zeros_like(primal);
}

}  // namespace notape::verify::mutate
