#include "autograd/batching/vmap_scope.h"
#include "autograd/engine/graph_task.h"
#include "autograd/graph/batch_moves.h"
#include "autograd/graph/support.h"
#include "autograd/tensor/core_operators.h"

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

/// A movement of the gradient and of its structural zeros.
template <typename Move>
Tensor moved(const Tensor& gradient, Move move) {
  Tensor result = move(gradient);
  if (gradient.impl().has(TensorImpl::kSupport)) [[unlikely]]
    move_zeros(gradient, result, std::move(move));
  return result;
}

// Note [Gradients and vmap levels]
// A backward that runs inside a call of vmap computes one gradient per sample of that call, also of
// tensors that are the same for all samples: levels under way stay. Levels whose call has returned
// are dimensions that the forward computation broadcast over: a gradient is summed over those that
// its tensor lacks, before it is added to others, and repeated along those it lacks itself.
Tensor fit_levels(Tensor gradient, const OutputMeta& meta) {
  const BatchLevels open = open_vmap_levels(), own = levels_of(gradient);
  for (const BatchLevel& level : without(without(own, meta.levels()), open))
    gradient = moved(gradient, [level](const Tensor& one) { return sum_over_level(one, level); });
  return moved(gradient, [added = without(without(meta.levels(), own), open)](const Tensor& one) {
    return spread_over_levels(one, added);
  });
}

}  // namespace

Tensor fit_gradient(Tensor gradient, const OutputMeta& meta, const char* node_name,
                    std::size_t index) {
  settle_zeros(gradient);
  const bool elsewhere = gradient.device().of_samples() != meta.device().of_samples();
  if (elsewhere && gradient.dim() != 0)
    throw InvalidGradient(
        "Function {} returned an invalid gradient at index {} - expected device {} but got {}",
        node_name, index, to_string(meta.device()), to_string(gradient.device()));
  if (!is_floating_point(gradient.dtype()))  // before a sum, which may leave a small integer type
    gradient = core_operators->convert(gradient, meta.dtype(), gradient.device());
  if (gradient.device().is_batched() || meta.device().is_batched()) [[unlikely]]
    gradient = fit_levels(std::move(gradient), meta);
  if (!(gradient.sizes() == meta.sizes())) {
    if (!broadcasts_from(meta.sizes(), gradient.sizes()))
      throw InvalidGradient(
          "Function {} returned an invalid gradient at index {} - got {} but expected shape "
          "compatible with {}",
          node_name, index, to_string(gradient.sizes()), to_string(meta.sizes()));
    gradient = moved(gradient, [sizes = DimVector(meta.sizes())](const Tensor& one) {
      return core_operators->sum_to(one, sizes);
    });
  }
  if (gradient.dtype() != meta.dtype() || elsewhere) {
    Ref<Support> support = support_of(gradient);
    gradient = core_operators->convert(gradient, meta.dtype(), meta.device());
    set_support(gradient, std::move(support));
  }
  return gradient;
}

}  // namespace notape
