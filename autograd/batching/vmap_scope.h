// VmapScope: a call of vmap that is under way on this thread.
#pragma once
#include <functional>
#include <utility>

#include "autograd/modes/thread_state.h"
#include "autograd/tensor/batch.h"
#include "autograd/tensor/tensor.h"

namespace notape {

/// What random operators and factories do inside vmap.
enum class Randomness : uint8_t {
  Error,      ///< raise an error
  Different,  ///< draw for each sample
  Same,       ///< draw once for all samples
};

/// In its scope this thread computes all samples of a vmap call at once.
class VmapScope {
 public:
  VmapScope(int64_t size, Randomness randomness);
  ~VmapScope() { thread_state.vmap = outer_; }
  VmapScope(const VmapScope&) = delete;
  VmapScope& operator=(const VmapScope&) = delete;

  BatchLevel level() const { return level_; }
  Randomness randomness() const { return randomness_; }
  const VmapScope* outer() const { return outer_; }

 private:
  BatchLevel level_;
  Randomness randomness_;
  const VmapScope* outer_;
};

/// The levels of this thread's calls under way, ascending.
BatchLevels open_vmap_levels();

namespace detail {
Tensor draw_per_sample(const char* name, IntArrayRef sizes,
                       const std::function<Tensor(IntArrayRef)>& draw);
}

/// draw(sizes); inside vmap with a leading dimension for each level that draws differently, which
/// then becomes that level. Throws BatchingNotImplemented where a call forbids to draw.
template <typename F>
Tensor draw_in_vmap(const char* name, IntArrayRef sizes, const F& draw) {
  if (!thread_state.vmap) [[likely]]
    return draw(sizes);
  return detail::draw_per_sample(name, sizes, draw);
}

/// In its scope an operator without a batching rule is called once per sample instead of raising
/// BatchingNotImplemented.
class LoopFallbackGuard {
 public:
  LoopFallbackGuard() : before_(std::exchange(thread_state.loop_fallback, true)) {}
  ~LoopFallbackGuard() { thread_state.loop_fallback = before_; }
  LoopFallbackGuard(const LoopFallbackGuard&) = delete;
  LoopFallbackGuard& operator=(const LoopFallbackGuard&) = delete;

 private:
  bool before_;
};

}  // namespace notape
