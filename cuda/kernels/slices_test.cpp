// What blocks of a GPU compute together, computed by threads of the CPU, against the CPU's own
// kernels.
#include "cuda/kernels/slices.h"

#include <gtest/gtest.h>

#include "autograd/batching/random_factories.h"
#include "autograd/tensor/factories.h"
#include "cuda/testing/thread_team.h"
#include "ops/ops.h"
#include "ops/reduce/extremum.h"
#include "ops/reduce/softmax.h"

namespace notape::cuda {
namespace {

using testing::run_by_team;

const int kTeams[] = {1, 4, 32};
struct Shape {
  std::vector<int64_t> sizes;
  int64_t dim;
};
const Shape kShapes[] = {{{1}, 0}, {{5}, 0}, {{3, 64}, 1}, {{2, 131}, 1}, {{2, 33, 3}, 1}};

const Operation& test_operation() {
  static const Operation op("test", SourceLocation::current());
  return op;
}

/// Runs a slot's CPU kernel.
template <typename Kernel, typename... Arguments>
void on_cpu(const Kernel& kernel, ScalarType type, const Arguments&... arguments) {
  kernel(test_operation(), type, kCPU, arguments...);
}

void expect_close(const Tensor& expected, const Tensor& result, double tolerance) {
  EXPECT_TRUE(allclose(result, expected, tolerance, tolerance, true))
      << result.to_string() << "\nexpected\n"
      << expected.to_string();
}

/// Far apart, with a largest element that has nearly all of the probability in some slices.
Tensor scores(const Shape& shape) { return randn(shape.sizes, kFloat64) * 9; }

template <typename Formula>
void expect_softmax(const SoftmaxKernel& kernel) {
  for (const Shape& shape : kShapes)
    for (int threads : kTeams) {
      const Slices slices(shape.sizes, shape.dim);
      const Tensor x = scores(shape), expected = empty_like(x), result = empty_like(x);
      on_cpu(kernel, kFloat64, expected, x, slices);
      run_by_team(Softmax<Formula, double>{x.impl().data_as<double>(),
                                           result.impl().data_as<double>(), slices},
                  slices.count(), threads);
      expect_close(expected, result, 1e-14);
    }
}

TEST(SlicesByTeams, TakeSoftmax) {
  expect_softmax<SoftmaxFormula<false>>(softmax_kernel);
  expect_softmax<SoftmaxFormula<true>>(log_softmax_kernel);
}

template <typename Formula>
void expect_gradient(const SoftmaxKernel& forward, const SoftmaxGradientKernel& kernel) {
  for (const Shape& shape : kShapes)
    for (int threads : kTeams) {
      const Slices slices(shape.sizes, shape.dim);
      const Tensor g = randn(shape.sizes, kFloat64), y = empty_like(g);
      on_cpu(forward, kFloat64, y, scores(shape), slices);
      const Tensor expected = empty_like(g), result = empty_like(g);
      on_cpu(kernel, kFloat64, expected, g, y, slices);
      run_by_team(SoftmaxGradientSlice<Formula, double>{g.impl().data_as<double>(),
                                                        y.impl().data_as<double>(),
                                                        result.impl().data_as<double>(), slices},
                  slices.count(), threads);
      expect_close(expected, result, 1e-13);
    }
}

TEST(SlicesByTeams, TakeGradientsOfSoftmax) {
  expect_gradient<SoftmaxGradient>(softmax_kernel, softmax_gradient_kernel);
  expect_gradient<LogSoftmaxGradient>(log_softmax_kernel, log_softmax_gradient_kernel);
  expect_gradient<LogSoftmaxTangent>(log_softmax_kernel, log_softmax_tangent_kernel);
}

template <typename Order, typename T>
void expect_extremum(const Tensor& x, const Shape& shape, Extreme which) {
  const Slices slices(shape.sizes, shape.dim);
  for (int threads : kTeams) {
    const Tensor expected = empty({slices.count()}, x.dtype());
    const Tensor result = empty({slices.count()}, x.dtype());
    const Tensor expected_places = empty({slices.count()}, kInt64);
    const Tensor places = empty({slices.count()}, kInt64);
    on_cpu(extremum_kernel, x.dtype(), expected, expected_places, x, slices, which);
    run_by_team(Extremum<Order, T>{x.impl().data_as<T>(), result.impl().data_as<T>(),
                                   places.impl().data_as<int64_t>(), slices},
                slices.count(), threads);
    expect_close(expected, result, 0);
    EXPECT_TRUE(equal(expected_places, places));
  }
}

TEST(SlicesByTeams, FindTheFirstExtremeAndNaN) {
  for (const Shape& shape : kShapes) {
    const Tensor ties = randint(0, 4, shape.sizes);
    expect_extremum<Larger, int64_t>(ties, shape, Extreme::Largest);
    expect_extremum<Smaller, int64_t>(ties, shape, Extreme::Smallest);
    Tensor some_nan = randn(shape.sizes);
    expect_extremum<Smaller, float>(some_nan, shape, Extreme::Smallest);
    some_nan.masked_fill_(lt(some_nan, -1), std::numeric_limits<double>::quiet_NaN());
    expect_extremum<Larger, float>(some_nan, shape, Extreme::Largest);
  }
}

template <typename T>
void expect_cumsum(const Tensor& x, const Shape& shape, double tolerance) {
  const Slices slices(shape.sizes, shape.dim);
  for (ScanFrom from : {ScanFrom::First, ScanFrom::Last})
    for (int threads : kTeams) {
      const Tensor expected = empty(shape.sizes, scalar_type_of<Accumulated<T>>);
      const Tensor result = empty_like(expected);
      on_cpu(cumsum_kernel, x.dtype(), expected, x, slices, from);
      run_by_team(
          Cumsum<T>{x.impl().data_as<T>(), result.impl().data_as<Accumulated<T>>(), slices, from},
          slices.count(), threads);
      expect_close(expected, result, tolerance);
    }
}

TEST(SlicesByTeams, TakeRunningSums) {
  for (const Shape& shape : kShapes) {
    expect_cumsum<float>(randn(shape.sizes), shape, 1e-6);
    expect_cumsum<int32_t>(randint(-9, 9, shape.sizes).to(kInt32), shape, 0);
  }
}

TEST(SlicesByTeams, ScanByOneThread) {
  for (const Shape& shape : kShapes) {
    const Slices slices(shape.sizes, shape.dim);
    std::vector<int64_t> fewer = shape.sizes;
    --fewer[static_cast<std::size_t>(shape.dim)];
    const Tensor c = randn(fewer), b = randn(shape.sizes);
    const Tensor expected = empty_like(b), result = empty_like(b);
    for (ScanFrom from : {ScanFrom::First, ScanFrom::Last}) {
      on_cpu(linear_scan_kernel, kFloat32, expected, c, b, slices, from);
      const LinearScan<float> work{c.impl().data_as<float>(), b.impl().data_as<float>(),
                                   result.impl().data_as<float>(), slices, from};
      for (int64_t i = 0; i < slices.count(); ++i) work(i, LoneThread());
      expect_close(expected, result, 1e-6);
    }
    const Tensor memory = empty(shape.sizes, kFloat64);
    on_cpu(products_of_others_kernel, kFloat32, expected, b, slices);
    const ProductsOfOthers<float> work{b.impl().data_as<float>(), memory.impl().data_as<double>(),
                                       result.impl().data_as<float>(), slices};
    for (int64_t i = 0; i < slices.count(); ++i) work(i, LoneThread());
    expect_close(expected, result, 0);
  }
}

TEST(SlicesByTeams, CombineInOrder) {
  for (int threads : kTeams) {
    run_by_team(
        [&](int64_t, const auto& team) {
          // Digits in base 4 are not commutative.
          struct Digits {
            double value, scale;
          };
          const auto join = [](const Digits& a, const Digits& b) {
            return Digits{a.value * b.scale + b.value, a.scale * b.scale};
          };
          const Digits mine{static_cast<double>(team.rank() % 4), 4};
          const Digits all = combine_in_team(team, mine, join);
          const Digits earlier = combine_before(team, mine, Digits{0, 1}, join);
          Digits expected{0, 1};
          for (int rank = 0; rank < team.size(); ++rank) {
            if (rank == team.rank()) {
              EXPECT_EQ(earlier.value, expected.value);
            }
            expected = join(expected, Digits{static_cast<double>(rank % 4), 4});
          }
          EXPECT_EQ(all.value, expected.value);
        },
        3, threads);
  }
}

}  // namespace
}  // namespace notape::cuda
