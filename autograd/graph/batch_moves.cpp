#include "autograd/graph/batch_moves.h"

#include <algorithm>

#include "autograd/batching/batched_tensor.h"
#include "autograd/graph/record.h"

namespace notape {
namespace {

struct LevelAtDim {
  BatchLevel level;
  int64_t dim;
};

/// `tensor` with dimension `dim` moved to the front; no graph.
Tensor with_dim_first(const Tensor& tensor, int64_t dim) {
  const Geometry& g = tensor.impl().geometry();
  DimVector sizes = g.sizes(), strides = g.strides();
  for (DimVector* list : {&sizes, &strides})
    std::rotate(list->begin(), list->begin() + dim, list->begin() + dim + 1);
  return Tensor(Ref<TensorImpl>::adopt(new TensorImpl(
      tensor.impl().storage(), Geometry(sizes, strides, g.offset()), tensor.dtype())));
}

DimVector with_size(IntArrayRef sizes, int64_t dim, int64_t size) {
  DimVector result = sizes;
  result.insert(static_cast<std::size_t>(dim), size);
  return result;
}

Tensor allocate_like_sample(const BatchLevels& levels, IntArrayRef sizes, const Tensor& like) {
  return allocate_batched(levels, Geometry(sizes), like.dtype(), like.device());
}

constexpr auto leave = [](const Tensor& value, const LevelAtDim& p) {
  return leave_level(value, p.level, p.dim);
};
constexpr auto enter = [](const Tensor& value, const LevelAtDim& p) {
  return enter_level(value, p.level, p.dim);
};
constexpr auto kEnter = derivative("VmapInputBackward", movement(leave, enter));
constexpr auto kLeave = derivative("VmapOutputBackward", movement(enter, leave));
// A gradient that lacks levels of what it belongs to is spread over them by the engine.
constexpr auto kSum =
    derivative("SumOverSamplesBackward", movement([](const Tensor& grad) { return grad; },
                                                  [](const Tensor& tangent, const BatchLevel& p) {
                                                    return sum_over_level(tangent, p);
                                                  }));
constexpr auto kSpread =
    derivative("SpreadOverSamplesBackward",
               movement(
                   [](Tensor grad, const BatchLevels& added) {
                     for (const BatchLevel& level : added) grad = sum_over_level(grad, level);
                     return grad;
                   },
                   [](const Tensor& tangent, const BatchLevels& added) {
                     return spread_over_levels(tangent, without(added, levels_of(tangent)));
                   }));

}  // namespace

Tensor enter_level(const Tensor& tensor, BatchLevel level, int64_t dim, SourceLocation at) {
  const Operation op("vmap_input", at);
  const Tensor source = with_dim_first(tensor, dim);
  const IntArrayRef sample(source.sizes().data() + 1, source.sizes().size() - 1);
  Tensor result = allocate_like_sample(joined(levels_of(tensor), {level}), sample, tensor);
  core_operators->copy_into(peel(result, level), source);
  return record(kEnter, op, std::move(result), LevelAtDim{level, dim}, tensor);
}

Tensor leave_level(const Tensor& tensor, BatchLevel level, int64_t dim, SourceLocation at) {
  const Operation op("vmap_output", at);
  Tensor result = allocate_like_sample(without(levels_of(tensor), {level}),
                                       with_size(tensor.sizes(), dim, level.size), tensor);
  core_operators->copy_into(with_dim_first(result, dim), peel(tensor, level));
  return record(kLeave, op, std::move(result), LevelAtDim{level, dim}, tensor);
}

Tensor sum_over_level(const Tensor& tensor, BatchLevel level, SourceLocation at) {
  const Operation op("sum_over_samples", at);
  return record(kSum, op, core_operators->sum_to(peel(tensor, level), tensor.sizes()), level,
                tensor);
}

Tensor spread_over_levels(const Tensor& tensor, const BatchLevels& levels, SourceLocation at) {
  if (levels.empty()) return tensor;
  const Operation op("spread_over_samples", at);
  Tensor result = allocate_like_sample(joined(levels_of(tensor), levels), tensor.sizes(), tensor);
  core_operators->copy_into(result, tensor);
  return record(kSpread, op, std::move(result), levels, tensor);
}

}  // namespace notape
