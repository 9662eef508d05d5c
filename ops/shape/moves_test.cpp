// unflatten, movedim, roll, diag_embed, select_scatter and slice_scatter: numbers from
// PyTorch 2.15.
#include "ops/linalg/testing/second_source.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using X = const variable_list&;
using Sizes = std::vector<int64_t>;

TEST(ShapeMoves, HaveLibTorchsValuesAndGradients) {
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {unflatten(x[0], 0, {2, -1})};
      },
      {{{4}, 5}}, {{-0.25, 1, -1, 0.25}}, {{1, 2, 3, 4}});
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {movedim(x[0], {0, 1}, {2, 0})};
      },
      {{{2, 1, 3}, 5}}, {{-0.25, 0.25, 1, 1.5, -1, -0.5}}, {{1, 3, 5, 2, 4, 6}});
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {roll(x[0], {1, -4}, {0, 1})};
      },
      {{{2, 3}, 5}}, {{1.5, -0.5, 0.25, 1, -1, -0.25}}, {{6, 4, 5, 3, 1, 2}});
  expect_as_libtorch([](X x) -> TensorList { return {roll(x[0], -1)}; }, {{{2, 2}, 5}},
                     {{1, -1, 0.25, -0.25}}, {{4, 1, 2, 3}});
  expect_as_libtorch([](X x) -> TensorList { return {diag_embed(x[0], 1, 0, 2)}; }, {{{2, 2}, 5}},
                     {{0, -0.25, 0, 0, -1, 0, 0, 0, 1, 0, 0, 0.25, 0, 0, 0, 0, 0, 0}},
                     {{2, 9, 5, 12}});
  expect_as_libtorch([](X x) -> TensorList { return {select_scatter(x[0], x[1], 1, -1)}; },
                     {{{2, 2}, 5}, {{2}, 3}}, {{-0.25, -0.75, -1, 0}}, {{1, 0, 3, 0}, {2, 4}});
  expect_as_libtorch([](X x) -> TensorList { return {slice_scatter(x[0], x[1], 0, 1, {}, 2)}; },
                     {{{4}, 5}, {{2}, 3}}, {{-0.25, -0.75, -1, 0}}, {{1, 0, 3, 0}, {2, 4}});
}

TEST(ShapeMoves, ConvertWhatIsScattered) {
  const Tensor x = zeros({2}, dtype(kFloat32).requires_grad(true)), y = leaf(3);
  const Tensor z = select_scatter(x, y, 0, 1);
  EXPECT_EQ(z.dtype(), kFloat32);
  expect_values(z, {0, 3});
  z.sum().backward();
  EXPECT_EQ(y.grad().dtype(), kFloat64);
  expect_values(x.grad(), {1, 0});
  // What was replaced has gradient 0, however infinite its derivative is.
  const Tensor w = leaf({0, 4});
  slice_scatter(sqrt(w), constant({7}), 0, 0, 1).sum().backward();
  expect_values(w.grad(), {0, 0.25});
}

TEST(ShapeMoves, TakeZeroSizesAndNumbers) {
  EXPECT_EQ(unflatten(zeros({0, 2}), 0, {3, 0}).sizes().vec(), (Sizes{3, 0, 2}));
  EXPECT_EQ(unflatten(zeros({0}), 0, {3, -1}).sizes().vec(), (Sizes{3, 0}));
  EXPECT_EQ(movedim(constant(3), 0, -1).dim(), 0);
  expect_values(roll(constant(3), 1), {3});
  EXPECT_EQ(roll(zeros({0, 2}), 3, 0).sizes().vec(), (Sizes{0, 2}));
  EXPECT_FALSE(roll(constant({1, 2}), 2).is_alias_of(constant({1, 2})));
  const Tensor x = constant({1, 2});
  EXPECT_FALSE(roll(x, 2).is_alias_of(x));
  expect_values(roll(x, std::numeric_limits<int64_t>::min()), {1, 2});
  EXPECT_EQ(diag_embed(zeros({2, 0}), -1).sizes().vec(), (Sizes{2, 1, 1}));
  expect_values(diag_embed(tensor({true}), -1), {0, 0, 1, 0});
}

TEST(ShapeMoves, RefuseWhatDoesNotFit) {
  const Tensor x = zeros({2, 3});
  expect_error<ShapeError>(
      "unflatten: provided sizes [2, 2] don't multiply up to the size of dim 1 (3)", [&] {
        unflatten(x, 1, {2, 2});
      });
  expect_error<ShapeError>("don't multiply up", [&] { unflatten(x, 1, {-1, -1}); });
  expect_error<ShapeError>("don't multiply up", [&] { unflatten(x, 1, {0, -1}); });
  expect_error<ShapeError>("sizes must be non-empty", [&] { unflatten(x, 1, IntArrayRef()); });
  expect_error<ShapeError>("movedim: invalid source or destination dims", [&] {
    movedim(x, {0, 1}, {0});
  });
  expect_error<IndexError>("movedim: dim -1 appears multiple times", [&] {
    movedim(x, {1, -1}, {0, 1});
  });
  expect_error<ShapeError>("roll: `shifts` required", [&] { roll(x, IntArrayRef()); });
  expect_error<ShapeError>("roll: shifts and dimensions must align. shifts: 2, dims: 0", [&] {
    roll(x, {1, 2});
  });
  expect_error<IndexError>("", [&] { roll(zeros({}), 1, 0); });
  expect_error<ShapeError>("diag_embed: diagonal dimensions cannot be identical",
                           [&] { diag_embed(x, 0, 1, 1); });
  expect_error<ShapeError>("is too large",
                           [&] { diag_embed(x, std::numeric_limits<int64_t>::min()); });
  expect_error<IndexError>("", [] { diag_embed(zeros({})); });
  expect_error<ShapeError>("select_scatter: expected src to have a size equal to the slice of self",
                           [&] { select_scatter(x, zeros({3}), 1, 0); });
  expect_error<IndexError>("select_scatter: index 3 is out of bounds",
                           [&] { select_scatter(x, zeros({2}), 1, 3); });
  expect_error<ValueError>("slice_scatter: slice step must be positive",
                           [&] { slice_scatter(x, x, 0, {}, {}, 0); });
  expect_error<UndefinedTensor>("select_scatter:", [&] { select_scatter(x, Tensor(), 0, 0); });
}

}  // namespace
}  // namespace notape::testing
