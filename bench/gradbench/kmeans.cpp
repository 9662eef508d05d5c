// Clusters: the sum of squared distances of points to the nearest centroid, and Newton's direction.
// The nearest is found in blocks of points, whose distances stay in the cache, without a graph.
#include "gradbench.h"

using namespace gradbench;

/// f(points, |c|^2 - 2 p c of each) for blocks of points, without a graph.
template <typename F>
void for_blocks(const Tensor& points, const Tensor& centroids, const F& f) {
  const NoGradGuard no_grad;
  const Tensor squares = centroids.square().sum(1), transposed = centroids.t();
  const int64_t length = std::max<int64_t>(16, 32768 / centroids.size(0));
  for (const Tensor& block : points.split(length))
    f(block, addmm(squares, block, transposed, 1, -2));
}

Tensor cost(const Tensor& points, const Tensor& centroids) {
  Tensor sum = points.square().sum();
  for_blocks(points, centroids,
             [&](const Tensor&, const Tensor& distances) { sum += distances.amin(1).sum(); });
  return sum;
}

/// The gradient by the centroids over the diagonal of the Hessian, which has no other entries: so
/// it is the gradient of the summed gradient.
Tensor direction(const Tensor& points, const Tensor& centroids) {
  std::vector<Tensor> nearest;
  for_blocks(points, centroids, [&](const Tensor&, const Tensor& distances) {
    nearest.push_back(distances.argmin(1));
  });
  const Tensor by = leaf(centroids);
  const Tensor sum = (points - by.index_select(0, cat(nearest))).square().sum();
  const Tensor slope = autograd::grad({sum}, {by}, {}, {}, /*create_graph=*/true)[0];
  return slope.detach() / gradient(slope.sum(), by);
}

int main(int count, char** arguments) {
  const auto on = [](Tensor (*f)(const Tensor& points, const Tensor& centroids)) {
    return [f](const Json& input) {
      const Tensor points = to_tensor(input["points"]), centroids = to_tensor(input["centroids"]);
      return to_json(timed(input, [&] { return f(points, centroids); }));
    };
  };
  return run(count, arguments, {{"cost", on(cost)}, {"dir", on(direction)}});
}
