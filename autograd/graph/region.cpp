#include "autograd/graph/region.h"

#include "autograd/tensor/core_operators.h"

namespace notape {

RegionSink* open_region_sink() {
  const bool dense = thread_state.grad_mode || thread_state.forward_levels != 0;
  return dense ? nullptr : thread_state.region_sink;
}

Tensor region_gradient(const Tensor& value, const Geometry& base, const Geometry& view) {
  RegionSink* sink = open_region_sink();
  // Batched gradients are fitted to the levels of what they belong to, which takes dense ones.
  if (!sink || value.device().is_batched())
    return core_operators->scatter_window(value, base, view);
  sink->regions.push_back({base, view, value});
  return {};
}

}  // namespace notape
