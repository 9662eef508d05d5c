// Reductions of rows, of columns and of dimensions in the middle go different ways on the CPU, by
// their width: each against the same in float64, put together one by one.
#include <cmath>

#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

/// Around one reduced dimension: (outer, size, inner).
const std::vector<std::vector<int64_t>> kShapes = {{1, 1, 1},   {3, 70, 1},    {2, 9, 2},
                                                   {1, 133, 3}, {2, 30, 63},   {2, 7, 64},
                                                   {3, 5, 513}, {1, 37, 1030}, {2, 2100, 1}};

/// f along the middle of x, slice by slice of numbers in float64.
template <typename F>
Tensor slice_by_slice(const Tensor& x, const F& f) {
  std::vector<double> results;
  for (int64_t o = 0; o < x.size(0); ++o)
    for (int64_t n = 0; n < x.size(2); ++n)
      results.push_back(f(values(x.select(0, o).select(1, n).to(kFloat64))));
  return tensor(results, dtype(kFloat64)).reshape({x.size(0), x.size(2)});
}

double sum_of(const std::vector<double>& x) {
  double sum = 0;
  for (double each : x) sum += each;
  return sum;
}
double largest_of(const std::vector<double>& x) {
  double largest = x[0];
  for (double each : x)
    if (each > largest || std::isnan(each)) largest = each;
  return largest;
}

/// Neighbouring numbers of a larger tensor: the same values with other strides.
Tensor apart(const Tensor& x) {
  const Tensor wide = zeros({x.size(0), x.size(1), x.size(2) + 1}, x.options());
  Tensor part = wide.narrow(2, 0, x.size(2));
  part.copy_(x);
  return part;
}

TEST(SlicesOfFloats, HaveTheSumsAndExtremesOfTheirNumbers) {
  manual_seed(7);
  for (const auto& shape : kShapes) {
    const Tensor x = randn(shape, dtype(kFloat32));
    for (const Tensor& same : {x, apart(x)}) {
      EXPECT_TRUE(allclose(same.sum(1).to(kFloat64), slice_by_slice(x, sum_of), 1e-6, 1e-5));
      EXPECT_TRUE(equal(same.amax(1).to(kFloat64), slice_by_slice(x, largest_of)));
      EXPECT_TRUE(equal((-same).amin(1), -x.amax(1)));
    }
    EXPECT_TRUE(
        equal((x * 8).to(kInt32).sum(1).to(kFloat64), slice_by_slice((x * 8).to(kInt32), sum_of)));
  }
}

TEST(SlicesOfFloats, SumNumbersOfWhichAFewOverflow) {
  const float huge = 3e38f;
  for (const auto& shape : kShapes) {
    const Tensor x = zeros(shape, dtype(kFloat32));
    for (int64_t i = 0; i + 1 < x.size(1); i += 2) {
      x.select(1, i).fill_(huge);
      x.select(1, i + 1).fill_(-huge);
    }
    Tensor first = x.narrow(1, 0, (x.size(1) + 1) / 2);
    EXPECT_TRUE(equal(x.sum(1), zeros({x.size(0), x.size(2)}, dtype(kFloat32))));
    first.abs_();
    const Tensor sums = slice_by_slice(x, sum_of);
    EXPECT_TRUE(equal(x.sum(1).to(kFloat64), sums.to(kFloat32).to(kFloat64)));
  }
}

TEST(SlicesOfFloats, LetNanWinWhereItStands) {
  for (const auto& shape : kShapes) {
    const Tensor x = ones(shape, dtype(kFloat32));
    const int64_t o = shape[0] - 1, i = shape[1] - 1, n = shape[2] - 1;
    x.select(0, o).select(0, i).select(0, n).fill_(kNaN);
    const Tensor found = x.amax(1), is_nan = found != found;
    EXPECT_EQ(is_nan.sum().item(), 1);
    EXPECT_TRUE(std::isnan(found.select(0, o).select(0, n).item()));
    EXPECT_TRUE(std::isnan(x.sum(1).select(0, o).select(0, n).item()));
  }
}

TEST(SlicesOfFloats, TakeTheFirstOfTwoZeros) {
  for (const auto& shape : kShapes)
    for (const double first : {0.0, -0.0}) {
      if (shape[1] < 4) continue;
      const Tensor x = full(shape, -1, dtype(kFloat32));
      x.narrow(1, shape[1] / 2, shape[1] - shape[1] / 2).fill_(-first);
      x.select(1, shape[1] / 2).fill_(first);
      for (const Tensor& result : {x.amax(1), apart(x).amax(1), -((-x).amin(1))})
        EXPECT_TRUE(equal(1 / result, full({shape[0], shape[2]}, 1 / first, dtype(kFloat32))));
    }
}

}  // namespace
}  // namespace notape::testing
