#include "autograd/graph/region.h"

#include "autograd/graph/vector_space.h"

namespace notape {

Tensor region_gradient(const Tensor& value, const Geometry& base, const Geometry& view) {
  RegionSink* sink = thread_state.region_sink;
  if (!sink || thread_state.grad_mode || thread_state.forward_levels != 0)
    return vector_space->scatter_window(value, base, view);
  sink->region = {base, view, value};
  sink->filled = true;
  return {};
}

}  // namespace notape
