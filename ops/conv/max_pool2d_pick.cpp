// max_pool2d_gather(x, picks)[o] = x[picks[o]] and max_pool2d_scatter(y, picks)[s] = sum of y[o]
// over picks[o] = s, in each plane: transposes of each other, hence each other's derivative.
#include "autograd/graph/record.h"
#include "ops/conv/max_pool2d.h"
#include "ops/core/allocate.h"
#include "ops/core/reduced.h"

namespace notape {
namespace {

constexpr auto gather = [](const Tensor& value, const Input<1>& indices,
                           const MaxPool2dProblem& p) {
  return max_pool2d_gather(value, indices, p);
};
constexpr auto scatter = [](const Tensor& value, const Input<1>& indices,
                            const MaxPool2dProblem& p) {
  return max_pool2d_scatter(value, indices, p);
};
constexpr auto kGather =
    derivative("MaxPool2DGatherBackward", selection(scatter, gather), not_differentiable);
constexpr auto kScatter =
    derivative("MaxPool2DScatterBackward", movement(gather, scatter), not_differentiable);

Tensor allocate_planes(const Tensor& like, int64_t rows, int64_t columns) {
  std::vector<int64_t> sizes = like.sizes().vec();
  sizes[sizes.size() - 2] = rows;
  sizes[sizes.size() - 1] = columns;
  return allocate(sizes, like.dtype(), like.device());
}

Tensor compute_gather(const Operation& op, const Tensor& image, const Tensor& indices,
                      const MaxPool2dProblem& problem) {
  if (any_batched(image, indices))
    return over_batch(
        [&](int64_t size, const Tensor& images, const Tensor& picks) {
          return compute_gather(op, images, picks, problem.behind_batch(size));
        },
        image, indices);
  if (is_reduced_floating_point(image.dtype()))
    return in_float32([&](const Tensor& x) { return compute_gather(op, x, indices, problem); },
                      image);
  Tensor result = allocate_planes(image, problem.rows, problem.columns);
  max_pool2d_gather_kernel(op, image.dtype(), image.device(), result, raw_contiguous(image),
                           raw_contiguous(indices), problem);
  return result;
}

Tensor compute_scatter(const Operation& op, const Tensor& values, const Tensor& indices,
                       const MaxPool2dProblem& problem) {
  if (any_batched(values, indices))
    return over_batch(
        [&](int64_t size, const Tensor& all, const Tensor& picks) {
          return compute_scatter(op, all, picks, problem.behind_batch(size));
        },
        values, indices);
  if (is_reduced_floating_point(values.dtype()))
    return in_float32([&](const Tensor& x) { return compute_scatter(op, x, indices, problem); },
                      values);
  Tensor result = allocate_planes(values, problem.height, problem.width);
  max_pool2d_scatter_kernel(op, values.dtype(), values.device(), result, raw_contiguous(values),
                            raw_contiguous(indices), problem);
  return result;
}

}  // namespace

Tensor max_pool2d_gather(const Tensor& image, const Tensor& indices,
                         const MaxPool2dProblem& problem, At at) {
  const Operation op("max_pool2d_gather", at);
  return record(kGather, op, compute_gather(op, image, indices, problem), problem, image, indices);
}

Tensor max_pool2d_scatter(const Tensor& values, const Tensor& indices,
                          const MaxPool2dProblem& problem, At at) {
  const Operation op("max_pool2d_scatter", at);
  return record(kScatter, op, compute_scatter(op, values, indices, problem), problem, values,
                indices);
}

}  // namespace notape
