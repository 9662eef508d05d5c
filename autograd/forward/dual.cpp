#include "autograd/forward/dual.h"

#include <atomic>

#include "autograd/forward/tangent.h"
#include "autograd/tensor/core_operators.h"

namespace notape::autograd::forward_ad {
namespace {

std::atomic<uint64_t> next_level{1};

}  // namespace

uint64_t enter_dual_level() {
  open_levels().push_back({next_level.fetch_add(1), {}});
  ++thread_state.forward_levels;
  return open_levels().back().id;
}

void exit_dual_level(uint64_t level) {
  if (open_levels().empty() || open_levels().back().id != level)
    throw DualLevelError(
        "Exiting a forward AD level that is not the last that was created is not supported: {}",
        level);
  const OpenLevel leaving = std::move(open_levels().back());
  open_levels().pop_back();
  --thread_state.forward_levels;
  for (const std::weak_ptr<Tensor>& weak : leaving.tangents)
    if (const std::shared_ptr<Tensor> cell = weak.lock()) cell->reset();
}

uint64_t current_level() {
  if (open_levels().empty())
    throw DualLevelError("dual numbers exist only inside a DualLevelGuard");
  return open_levels().back().id;
}

Tensor make_dual(const Tensor& primal, const Tensor& tangent) {
  const uint64_t level = current_level();
  if (tangent_of(primal, level).defined())
    throw TangentError("this tensor already has a tangent at level {}", level);
  const ForwardLevelLimit below(level);
  // Views find their part of a tangent by the cells they show: each has to be there once.
  Tensor dual = primal.impl().geometry().is_non_overlapping()
                    ? core_operators->alias(primal)
                    : core_operators->clone(primal, contiguous_strides(primal.sizes()));
  set_tangent(dual, level, tangent);
  return dual;
}

UnpackedDual unpack_dual(const Tensor& tensor) {
  const uint64_t level = current_level();
  UnpackedDual result;
  result.tangent = tangent_of(tensor, level);
  const ForwardLevelLimit below(level);
  result.primal = core_operators->alias(tensor);
  set_tangent(result.primal, level, Tensor());
  return result;
}

}  // namespace notape::autograd::forward_ad
