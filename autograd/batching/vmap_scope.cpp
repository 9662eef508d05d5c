#include "autograd/batching/vmap_scope.h"

#include <algorithm>
#include <atomic>

#include "autograd/batching/batched_tensor.h"
#include "autograd/tensor/core_operators.h"

namespace notape {

VmapScope::VmapScope(int64_t size, Randomness randomness)
    : randomness_(randomness), outer_(thread_state.vmap) {
  static std::atomic<uint64_t> next{1};
  level_ = {next.fetch_add(1), size};
  thread_state.vmap = this;
}

BatchLevels open_vmap_levels() {
  BatchLevels levels;
  for (const VmapScope* scope = thread_state.vmap; scope; scope = scope->outer())
    levels.push_back(scope->level());
  std::reverse(levels.begin(), levels.end());
  return levels;
}

Tensor detail::draw_per_sample(const char* name, IntArrayRef sizes,
                               const std::function<Tensor(IntArrayRef)>& draw) {
  BatchLevels levels;
  for (const VmapScope* scope = thread_state.vmap; scope; scope = scope->outer()) {
    if (scope->randomness() == Randomness::Error)
      throw BatchingNotImplemented(
          "{}: called a random operation inside vmap, whose randomness is Error: choose Different "
          "or Same, or draw outside vmap",
          name);
    if (scope->randomness() == Randomness::Different) levels.insert(levels.begin(), scope->level());
  }
  DimVector all = sizes;
  int64_t samples = 1;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    all.insert(i, levels[i].size);
    samples *= levels[i].size;
  }
  if (levels.empty() || samples == 0) return as_batched(draw(all), levels);
  variable_list draws;  // one by one: those of a loop
  for (int64_t i = 0; i < samples; ++i) draws.push_back(draw(sizes));
  return as_batched(core_operators->reshape(core_operators->stack(draws), all), levels);
}

}  // namespace notape
