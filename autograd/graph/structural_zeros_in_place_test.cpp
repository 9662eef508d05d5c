// Structural zeros of what was overwritten: the derivative of a value that nothing reads any more
// is 0, through bases, views and windows of views.
#include "autograd/testing/slopes.h"

namespace notape::testing {
namespace {

TEST(StructuralZerosInPlace, OfOverwrittenValues) {
  const auto filled = [](const Tensor& x) {
    Tensor y = log(x);
    y[0].fill_(5);
    return y;
  };
  expect_exactly(slope(filled, constant({0, 4})), {0, 0.25});
  const auto copied = [](const Tensor& x) {
    Tensor y = log(x);
    y.narrow(0, 0, 1).copy_(x.narrow(0, 1, 1));
    return y;
  };
  expect_exactly(slope(copied, constant({0, 4})), {0, 1.25});
  const auto all = [](const Tensor& x) {
    Tensor y = log(x);
    y.fill_(1);
    return y * x;
  };
  expect_exactly(slope(all, constant({0, 4})), {1, 1});
  const auto masked = [](const Tensor& x) {
    Tensor y = log(x);
    return y.masked_fill_(x < 1, 0);
  };
  expect_exactly(slope(masked, constant({0, 4})), {0, 0.25});
  const auto put = [](const Tensor& x) {
    Tensor y = log(x);
    y.index_put_({tensor({0}, kInt64)}, constant({3}));
    return y;
  };
  expect_exactly(slope(put, constant({0, 4})), {0, 0.25});
  const auto masked_window = [](const Tensor& x) {
    Tensor y = log(x);
    y.narrow(0, 0, 2).masked_fill_(truth({true, false}), 0);
    return y;
  };
  expect_exactly(slope(masked_window, constant({0, 4, 1})), {0, 0.25, 1});
}

TEST(StructuralZerosInPlace, OfOverwrittenValuesThatWereReadBefore) {
  const auto f = [](const Tensor& x) {
    Tensor y = log(x);
    const Tensor before = y[0] * 2;
    y[0].fill_(5);
    return y.sum() + before;
  };
  expect_exactly(slope(f, constant({0, 4})), {kInfinity, 0.25});
  expect_exactly(slope(f, constant({1, 4})), {2, 0.25});
}

TEST(StructuralZerosInPlace, AWindowOverwrittenInTurnIsFollowed) {
  const auto f = [](const Tensor& x) {
    Tensor y = log(x);
    y[0].copy_(y[1]);  // log(x[0]) is gone
    y[1].mul_(3);
    y[2].fill_(0);  // and log(x[2])
    y[2].add_(y[0]);
    return y;
  };
  expect_exactly(slope(f, constant({0, 4, 0})), {0, (1 + 3 + 1) * 0.25, 0});
}

TEST(StructuralZerosInPlace, OfATableFilledFromItsOwnCells) {
  const auto f = [](const Tensor& x) {
    Tensor table = log(x);
    for (int64_t i = 1; i < table.size(0); ++i) table[i].copy_(table[i - 1] * 2);
    return table;
  };
  expect_exactly(slope(f, constant({4, 0, 0, 0})), {15 * 0.25, 0, 0, 0});
}

TEST(StructuralZerosInPlace, OfWritesThroughTransposedViewsAndGaps) {
  const auto f = [](const Tensor& x) {
    Tensor y = log(x).t();
    y.select(0, 0).fill_(1);
    return y.slice(1, 0, {}, 2);
  };
  expect_exactly(slope(f, constant({{0, 4}, {0, 0}})), {0, 0.25, 0, 0});
}

TEST(StructuralZerosInPlace, TangentsOfOverwrittenValuesAreZero) {
  const Tensor x = constant({0, 4});
  const auto filled = [](const Tensor& t) {
    Tensor y = log(t);
    y.fill_(1);
    return y * t;
  };
  expect_exactly(forward_slope(filled, x), {1, 1});
  const auto copied = [](const Tensor& t) {
    Tensor y = log(t);
    y.copy_(t);
    return y;
  };
  expect_exactly(forward_slope(copied, x), {1, 1});
  const auto one = [](const Tensor& t) {
    Tensor y = log(t);
    y[0].fill_(1);
    return y;
  };
  expect_exactly(forward_slope(one, x), {0, 0.25});
  const auto masked = [](const Tensor& t) {
    return relu(log(t).masked_fill_(t < 1, 0)) +
           log(t).index_put_({tensor({0}, kInt64)}, constant({3}));
  };
  expect_exactly(forward_slope(masked, x), {0, 0.5});
}

}  // namespace
}  // namespace notape::testing
