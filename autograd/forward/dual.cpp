#include "autograd/forward/dual.h"

#include "autograd/forward/tangent.h"
#include "autograd/graph/vector_space.h"

namespace notape::autograd::forward_ad {
namespace {

thread_local std::vector<uint64_t> open_levels;
std::atomic<uint64_t> next_level{1};

}  // namespace

uint64_t enter_dual_level() {
  open_levels.push_back(next_level.fetch_add(1));
  return open_levels.back();
}

void exit_dual_level(uint64_t level) {
  if (open_levels.empty() || open_levels.back() != level)
    throw DualLevelError(
        "Exiting a forward AD level that is not the last that was created is not supported: {}",
        level);
  open_levels.pop_back();
}

uint64_t current_level() {
  if (open_levels.empty()) throw DualLevelError("dual numbers exist only inside a DualLevelGuard");
  return open_levels.back();
}

Tensor make_dual(const Tensor& primal, const Tensor& tangent) {
  const uint64_t level = current_level();
  if (tangent_of(primal, level).defined())
    throw TangentError("this tensor already has a tangent at level {}", level);
  const ForwardLevelLimit below(level);
  Tensor dual = vector_space->alias(primal);
  set_tangent(dual, level, tangent);
  return dual;
}

UnpackedDual unpack_dual(const Tensor& tensor) {
  const uint64_t level = current_level();
  UnpackedDual result;
  result.tangent = tangent_of(tensor, level);
  const ForwardLevelLimit below(level);
  result.primal = vector_space->alias(tensor);
  return result;
}

}  // namespace notape::autograd::forward_ad
