// Regression cases B: repeated, overlapping and strided indices.
#include <thread>

#include "ops/parallel.h"
#include "verify/cases/testing/raise_or.h"

namespace notape::testing {
namespace {

Tensor indices(const NestedNumbers& numbers) { return tensor(numbers, kInt64); }

TEST(Cases, B1_OneOfTwoCopiesOfAnElementCountsOnce) {
  const Tensor y = leaf({1.0});
  y.index({indices({0, 0})})[0].backward();
  expect_values(y.grad(), {1});
}

TEST(Cases, B2_GatherAddsUpWhatARepeatedIndexReceives) {
  const Tensor x = leaf({0.1});
  gather(x, 0, indices({0, 0})).backward(constant({0.2, 0.3}));
  expect_values(x.grad(), {0.5});
}

TEST(Cases, B6_OverlappingStridedWindowsAddUp) {
  const Tensor x = counting_leaf(5);
  x.as_strided({3, 3}, {1, 1}).sum().backward();
  expect_values(x.grad(), {1, 2, 3, 2, 1});
}

TEST(Cases, B7_AStridedWindowOfAnExpandedTensorCountsEveryRead) {
  const Tensor x = leaf({2.0});
  x.expand({3}).as_strided({3}, {0}).sum().backward();
  expect_values(x.grad(), {3});
  const Tensor windows = counting_leaf(5);
  windows.unfold(0, 3, 1).sum().backward();
  expect_values(windows.grad(), {1, 2, 3, 2, 1});
}

TEST(Cases, B10_IndexAddOfASourceThatWouldHaveToBroadcastRaises) {
  const Tensor x = counting_leaf(3), source = leaf({1.0});
  EXPECT_THROW(index_add(x, 0, indices({0, 2}), source), Error);
}

TEST(Cases, B11_TheGradientOfRepeatedIndicesHasTheSameBitsForAnyNumberOfThreads) {
  constexpr int64_t kRows = 37, kReads = 50'000;
  const Tensor where = (rand({kReads}, kFloat64) * static_cast<double>(kRows)).to(kInt64);
  const Tensor incoming = rand({kReads}, kFloat64) - 0.5;
  const auto gradient = [&] {
    const Tensor x = counting_leaf(kRows);
    x.index({where}).backward(incoming);
    return values(x.grad());
  };
  const auto before = get_num_threads();
  set_num_threads(1);
  const std::vector<double> once = gradient();
  for (int threads : {1, 2, 3, static_cast<int>(std::thread::hardware_concurrency())}) {
    set_num_threads(threads);
    for (int run = 0; run < 5; ++run) EXPECT_EQ(gradient(), once) << threads << " threads";
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace notape::testing
