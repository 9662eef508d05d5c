#include "autograd/engine/graph_task.h"
#include "autograd/graph/vector_space.h"

namespace notape {
namespace {

/// Whether summing over some dimensions of `from` gives `to`.
bool broadcasts_from(IntArrayRef to, IntArrayRef from) {
  if (to.size() > from.size()) return false;
  const std::size_t extra = from.size() - to.size();
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] != from[extra + i] && to[i] != 1) return false;
  return true;
}

}  // namespace

Tensor fit_gradient(Tensor gradient, const OutputMeta& meta, const char* node_name,
                    std::size_t index) {
  if (!(gradient.sizes() == meta.sizes())) {
    if (!broadcasts_from(meta.sizes(), gradient.sizes()))
      throw InvalidGradient(
          "Function {} returned an invalid gradient at index {} - got {} but expected shape "
          "compatible with {}",
          node_name, index, to_string(gradient.sizes()), to_string(meta.sizes()));
    gradient = vector_space->sum_to(gradient, meta.sizes());
  }
  if (gradient.device() != meta.device() && gradient.dim() != 0)
    throw InvalidGradient(
        "Function {} returned an invalid gradient at index {} - expected device {} but got {}",
        node_name, index, to_string(meta.device()), to_string(gradient.device()));
  if (!is_floating_point(gradient.dtype()))
    throw InvalidGradient(
        "Function {} returned an invalid gradient at index {} - expected dtype {} but got {}",
        node_name, index, name_of(meta.dtype()), name_of(gradient.dtype()));
  if (gradient.dtype() != meta.dtype() || gradient.device() != meta.device())
    gradient = vector_space->convert(gradient, meta.dtype(), meta.device());
  return gradient;
}

}  // namespace notape
