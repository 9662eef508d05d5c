#include "ops/linalg/product.h"
#include "ops/linalg/testing/pattern.h"

namespace notape::testing {
namespace {

TEST(Bmm, HasLibTorchsValuesAndDerivatives) {
  const Tensor a = pattern_leaf({2, 2, 3}, 5), b = pattern_leaf({2, 3, 1}, 7);
  const Tensor incoming = pattern_leaf({2, 2, 1}, 3);
  const Tensor product = bmm(a, b);
  expect_values(product, {-1.8125, -2.0625, -1.6875, -2.1875});
  const auto first = autograd::grad({product}, {a, b}, {incoming}, {}, true);
  expect_values(first[0],
                {-0.1875, 0.9375, -0.375, 0, 0, 0, -0.75, 0.5625, -0.5625, -1.5, 1.125, -1.125});
  expect_values(first[1], {0.1875, -0.75, 0.75, 2.4375, -2.0625, 0.75});
  const Tensor sum =
      (first[0] * pattern({2, 2, 3}, 4)).sum() + (first[1] * pattern({2, 3, 1}, 9)).sum();
  const auto second = autograd::grad({sum}, {a, b, incoming});
  expect_values(second[0], {-0.5625, 0.1875, 0.9375, 0, 0, 0, 0.75, 0, -0.75, 1.5, 0, -1.5});
  expect_values(second[1], {0.375, -0.375, -1.125, -2.625, -0.375, 1.875});
  expect_values(second[2], {0.8125, 0.5625, 1, 1.25});
}

TEST(Bmm, IsMmOfEachPairInEveryLayout) {
  const Tensor a = pattern({3, 20, 30}, 5), b = pattern({3, 30, 10}, 7);
  std::vector<double> expected;
  for (int64_t i = 0; i < 3; ++i)
    for (double value : values(mm(a.select(0, i), b.select(0, i)))) expected.push_back(value);
  for (const std::vector<int>& order : std::vector<std::vector<int>>{
           {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}})
    for (int64_t gap : {0, 1}) {
      expect_values(bmm(laid_out(a, order, gap), b), expected);
      expect_values(bmm(a, laid_out(b, order, gap)), expected);
    }
}

TEST(Bmm, RepeatsAnExpandedFactor) {
  const Tensor a = pattern({3, 2, 4}, 5), b = pattern({1, 4, 2}, 7);
  expect_values(bmm(a, b.expand({3, 4, 2})), values(bmm(a, b.expand({3, 4, 2}).contiguous())));
}

TEST(Bmm, WithTransposedFactorsIsBmmOfTransposes) {
  for (const Transposed t : {Transposed{false, true}, {true, false}, {true, true}}) {
    const Tensor a = t.first ? pattern_leaf({2, 4, 2}, 5) : pattern_leaf({2, 2, 4}, 5);
    const Tensor b = t.second ? pattern_leaf({2, 3, 4}, 7) : pattern_leaf({2, 4, 3}, 7);
    const Tensor fused = bmm(a, b, t);
    const Tensor plain = bmm(t.first ? a.transpose(1, 2) : a, t.second ? b.transpose(1, 2) : b);
    expect_values(fused, values(plain));
    const auto expected = autograd::grad({plain}, {a, b}, {pattern({2, 2, 3}, 3)});
    const auto gradients = autograd::grad({fused}, {a, b}, {pattern({2, 2, 3}, 3)});
    for (std::size_t i = 0; i < 2; ++i) expect_values(gradients[i], values(expected[i]));
  }
}

TEST(Bmm, OfZeroSizesIsZeroOrEmpty) {
  EXPECT_EQ(bmm(empty({0, 2, 3}), empty({0, 3, 4})).sizes(), IntArrayRef({0, 2, 4}));
  expect_values(bmm(empty({2, 1, 0}), empty({2, 0, 2})), {0, 0, 0, 0});
  EXPECT_EQ(bmm(empty({2, 0, 3}), empty({2, 3, 4})).sizes(), IntArrayRef({2, 0, 4}));
}

TEST(Bmm, RefusesWhatDoesNotFit) {
  const Tensor batch = zeros({2, 3, 4});
  expect_error<ShapeError>("batch1 must be a 3D tensor", [&] { bmm(zeros({3, 4}), batch); });
  expect_error<ShapeError>("batch2 must be a 3D tensor", [&] { bmm(batch, zeros({4, 5})); });
  expect_error<ShapeError>(
      "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2, 5]", [&] {
        bmm(batch, zeros({2, 5, 6}));
      });
  expect_error<ShapeError>("to be: [2, 4] but got: [3, 4]", [&] { bmm(batch, zeros({3, 4, 6})); });
  expect_error<DtypeError>("expected scalar type Float but found Double", [&] {
    bmm(batch, zeros({2, 4, 6}, kFloat64));
  });
}

}  // namespace
}  // namespace notape::testing
