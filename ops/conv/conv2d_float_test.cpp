// Convolutions of floats have kernels of their own. With small integers, whose sums are exact, they
// must give what the matrix products of doubles give.
#include <limits>

#include "ops/linalg/testing/pattern.h"
#include "ops/parallel.h"

namespace notape::testing {
namespace {

struct Problem {
  std::vector<int64_t> image, filter;
  Pair stride = 1, padding = 0, dilation = 1;
  int64_t groups = 1;
};

const Problem kProblems[] = {
    {{2, 16, 9, 17}, {32, 16, 3, 3}, 1, 1},            // channels fill vectors
    {{1, 33, 7, 29}, {48, 33, 3, 3}, 1, 1},            // an odd number of vectors
    {{1, 30, 5, 15}, {30, 30, 3, 3}, 1, 2},            // and vectors that are not full
    {{3, 3, 23, 31}, {64, 3, 7, 7}, 2, 3},             // a stride
    {{1, 64, 9, 11}, {64, 64, 3, 3}, {2, 3}, {1, 2}},  // two strides
    {{1, 16, 20, 21}, {16, 16, 3, 2}, 1, {0, 4}, {4, 3}},
    {{1, 16, 6, 40}, {16, 16, 1, 5}, {4, 1}, 0},
    {{1, 96, 6, 6}, {100, 96, 3, 3}, 1, 1},         // 864 terms: not all at once
    {{2, 20, 28, 28}, {20, 1, 3, 3}, 1, 1, 1, 20},  // one channel a group
    {{2, 6, 28, 30}, {12, 1, 3, 3}, 1, 1, 1, 6},    // two outputs for each
    {{2, 6, 29, 15}, {6, 1, 5, 5}, 2, 2, 1, 6},
    {{2, 6, 40, 13}, {6, 1, 3, 3}, {3, 2}, 2, {2, 3}, 6},
    {{1, 12, 10, 70}, {21, 4, 3, 3}, 1, 1, 1, 3},  // few channels
    {{1, 40, 30, 30}, {7, 40, 3, 3}, 1, 1},        // few outputs, 360 terms
    {{1, 5, 1, 3000}, {11, 5, 1, 9}, 1, {0, 4}},   // a line
    {{2, 3, 1, 1}, {17, 3, 3, 3}, 1, 1},           // less than a filter
    {{1, 2, 4, 4}, {2, 2, 1, 1}, 1, {3, 2}},       // no pixel in the outer windows
    {{1, 4, 6, 6}, {4, 4, 1, 1}, 2, 0},            // pixels in no window
    {{1, 4, 5, 7}, {4, 1, 1, 1}, 1, 0, 1, 4},
};

/// Values between -8 and 8 that are no pattern, zero among them.
Tensor numbers(const std::vector<int64_t>& sizes, uint64_t seed) {
  manual_seed(seed);
  return randint(-8, 9, sizes).to(kFloat32);
}

/// The result and the gradients of the image, the filter and the bias.
std::vector<Tensor> all_of(const Problem& p, ScalarType dtype, const Tensor& image,
                           const Tensor& filter) {
  const Tensor x = image.to(dtype).detach().requires_grad_();
  const Tensor w = filter.to(dtype).detach().requires_grad_();
  const Tensor b = numbers({p.filter[0]}, 3).to(dtype).requires_grad_();
  const Tensor y = conv2d(x, w, b, p.stride, p.padding, p.dilation, p.groups);
  y.backward(numbers({y.sizes().begin(), y.sizes().end()}, 4).to(dtype));
  return {y, x.grad(), w.grad(), b.grad()};
}

void expect_same(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) {
  const char* const names[] = {"result", "image", "filter", "bias"};
  for (std::size_t k = 0; k < got.size(); ++k) {
    SCOPED_TRACE(names[k]);
    const std::vector<double> a = values(got[k]), b = values(expected[k]);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_TRUE(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]))
          << "element " << i << ": " << a[i] << ", not " << b[i];
  }
}

TEST(Conv2dOfFloats, GivesExactSums) {
  for (const Problem& p : kProblems) {
    SCOPED_TRACE(to_string(p.image) + " with " + to_string(p.filter));
    const Tensor x = numbers(p.image, 1), w = numbers(p.filter, 2);
    expect_same(all_of(p, kFloat32, x, w), all_of(p, kFloat64, x, w));
  }
}

TEST(Conv2dOfFloats, KeepsInfinityToTheWindowsThatSeeIt) {
  for (const Problem& p : kProblems) {
    SCOPED_TRACE(to_string(p.image) + " with " + to_string(p.filter));
    const Tensor x = numbers(p.image, 1), w = numbers(p.filter, 2);
    for (const int64_t place : {int64_t{0}, x.numel() / 2, x.numel() - 1}) {
      const Tensor marked = x.clone();
      marked.reshape({-1}).narrow(0, place, 1).fill_(std::numeric_limits<double>::infinity());
      expect_same(all_of(p, kFloat32, marked, w), all_of(p, kFloat64, marked, w));
    }
  }
}

TEST(Conv2dOfFloats, HasTheSameBitsForEachNumberOfThreads) {
  const int before = get_num_threads();
  for (const Problem& p : kProblems) {
    SCOPED_TRACE(to_string(p.image) + " with " + to_string(p.filter));
    const Tensor x = numbers(p.image, 1).div(7), w = numbers(p.filter, 2).div(3);
    set_num_threads(1);
    const std::vector<Tensor> one = all_of(p, kFloat32, x, w);
    set_num_threads(3);
    expect_same(all_of(p, kFloat32, x, w), one);
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace notape::testing
