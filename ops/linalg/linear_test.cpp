// mv, addmv, baddbmm, linear and einsum: numbers from PyTorch 2.15.
#include "ops/linalg/testing/second_source.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using X = const variable_list&;

TEST(Products, HaveLibTorchsValuesAndGradients) {
  expect_as_libtorch([](X x) -> TensorList { return {baddbmm(x[0], x[1], x[2], 0.5, -2)}; },
                     {{{2, 1}, 3}, {{2, 2, 3}, 5}, {{2, 3, 2}, 7}},
                     {{0.25, -0.5, -0.875, 2.875, 1.25, -0.25, -2.125, 0.875}},
                     {{7, 11},
                      {4.5, 3, 1.5, 8.5, 5, 1.5, -4, -9.5, -15, -6, -13.5, -21},
                      {-1, -1, -11, -16, 5, 8, -25, -29, 23, 27, -7, -8}});
  expect_as_libtorch([](X x) -> TensorList { return {mv(x[0], x[1])}; }, {{{2, 3}, 5}, {{3}, 7}},
                     {{-1.8125, -2.0625}}, {{0.25, -1.25, 0.5, 0.5, -2.5, 1}, {0.25, 4, -2}});
  expect_as_libtorch([](X x) -> TensorList { return {addmv(x[0], x[1], x[2], 0.5, -2)}; },
                     {{{1}, 3}, {{2, 3}, 5}, {{3}, 7}}, {{3.25, 3.75}},
                     {{1.5}, {-0.5, 2.5, -1, -1, 5, -2}, {-0.5, -8, 4}});
  expect_as_libtorch([](X x) -> TensorList { return {linear(x[0], x[1], x[2])}; },
                     {{{2, 3}, 5}, {{2, 3}, 7}, {{2}, 3}}, {{-2.5625, 1.75, -2.8125, 1.25}},
                     {{-1.75, 0.25, -1, -3.25, -0.75, -1.5}, {0.5, 5.5, -2.5, 0.5, 8, -4}, {4, 6}});
  expect_as_libtorch([](X x) -> TensorList { return {linear(x[0], x[1])}; },
                     {{{2, 3}, 5}, {{3}, 7}}, {{-1.8125, -2.0625}},
                     {{0.25, -1.25, 0.5, 0.5, -2.5, 1}, {0.25, 4, -2}});
  expect_as_libtorch(
      [](X x) -> TensorList {
        return {einsum("b...i,bij->jb...", {x[0], x[1]})};
      },
      {{{2, 1, 3}, 5}, {{2, 3, 2}, 7}}, {{-0.3125, 1.375, 0.0625, -0.5}},
      {{-3.5, -2.5, -1.5, 0, 1.5, 3}, {-0.25, -0.75, 1, 3, -1, -3, 0.5, 1, 3, 6, -1, -2}});
  expect_as_libtorch([](X x) -> TensorList { return {einsum("iij", {x[0]})}; }, {{{2, 2, 2}, 5}},
                     {{0.5, -0.25}}, {{1, 2, 0, 0, 0, 0, 1, 2}});
}

TEST(Products, WithBetaZeroDoNotReadSelf) {
  const Tensor nan = constant({kNaN, kNaN}), a = pattern({2, 3}, 5), v = pattern({3}, 7);
  expect_values(addmv(nan, a, v, 0), values(mv(a, v)));
  const Tensor b = pattern({1, 2, 3}, 5), c = pattern({1, 3, 2}, 7);
  expect_values(baddbmm(nan, b, c, 0), values(bmm(b, c)));
}

TEST(Products, InPlaceWriteIntoSelf) {
  Tensor y = constant({1, 2});
  const Tensor a = pattern({2, 3}, 5), v = pattern({3}, 7);
  const std::vector<double> expected = values(addmv(y, a, v, 2, 3));
  expect_values(addmv_(y, a, v, 2, 3), expected);
  Tensor z = pattern({2, 3, 3}, 3);
  const std::vector<double> product = values(baddbmm(z, z, z, 0.5, 2));
  expect_values(baddbmm_(z, z, z, 0.5, 2), product);
  expect_error<ShapeError>("addmv_: size mismatch, got input [1]", [&] {
    Tensor one = zeros({1}, kFloat64);
    addmv_(one, a, v);
  });
}

TEST(Products, MultiplyIntegers) {
  const Tensor a = tensor({{1, 2}, {3, 4}}), v = tensor({5, 6});
  expect_values(mv(a, v), {17, 39});
  expect_values(addmv(v, a, v, 2, -1), {-7, -27});
  expect_values(einsum("ij,j", {a, v}), {17, 39});
  expect_values(einsum("ij->j", {a.to(kInt32)}), {4, 6});
  EXPECT_EQ(einsum("ij->j", {a.to(kInt32)}).dtype(), kInt32);
  expect_values(linear(v, a, v), {22, 45});
  expect_error<DtypeError>("must not be floating point numbers", [&] { addmv(v, a, v, 0.5); });
}

TEST(Products, OfNothingAreZero) {
  expect_values(mv(zeros({2, 0}), zeros({0})), {0, 0});
  EXPECT_EQ(linear(zeros({0, 3}), zeros({2, 3}), zeros({2})).sizes().vec(),
            (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(linear(zeros({2, 0, 0}), zeros({3, 0})).sizes().vec(), (std::vector<int64_t>{2, 0, 3}));
  expect_values(einsum("ij,jk", {zeros({1, 0}), zeros({0, 2})}), {0, 0});
  expect_values(einsum(",->", {constant(2), constant(3)}), {6});
}

TEST(Products, RefuseWhatDoesNotFit) {
  const Tensor a = zeros({2, 3}), v = zeros({3});
  expect_error<ShapeError>("mv: size mismatch, got mat (2x3), vec (2)", [&] { mv(a, zeros({2})); });
  expect_error<ShapeError>("mv: vector + matrix @ vector expected", [&] { mv(v, v); });
  expect_error<DtypeError>("mv: expected scalar type Float but found Double",
                           [&] { mv(a, v.to(kFloat64)); });
  expect_error<ShapeError>("addmv: size mismatch, got input [3]", [&] { addmv(v, a, v); });
  expect_error<ShapeError>(
      "baddbmm: Expected size for first two dimensions of batch2 tensor to be: "
      "[1, 3] but got: [1, 2]",
      [] {
        baddbmm(zeros({}), zeros({1, 2, 3}), zeros({1, 2, 3}));
      });
  expect_error<ShapeError>("linear: the last dimensions of input and weight must be equal",
                           [&] { linear(zeros({2}), a); });
  expect_error<ShapeError>("linear: bias of size [3] does not fit",
                           [&] { linear(v, a, zeros({3})); });
  expect_error<DtypeError>("linear: expected scalar type Float but found Double",
                           [&] { linear(v, a, zeros({2}, kFloat64)); });
  expect_error<UndefinedTensor>("linear:", [&] { linear(Tensor(), a); });
}

TEST(Einsum, RefusesWhatIsNoEquation) {
  const Tensor a = zeros({2, 3});
  const auto refused = [&](std::string_view fragment, std::string_view equation,
                           const TensorList& operands) {
    expect_error<ValueError>(fragment, [&] { einsum(equation, operands); });
  };
  refused("must provide at least one operand", "i", {});
  refused("has subscripts for 2 operands, but 1 were provided", "ij,jk", {a});
  refused("output subscript appears more than once", "ij->ii", {a});
  refused("output subscript does not appear in the equation for any input", "ij->ik", {a});
  refused("subscripts must be in [a-zA-Z] or '...'", "i1->i", {a});
  refused("an ellipsis was already found", "......->", {a});
  expect_error<ShapeError>("does not match the number of dimensions (2) for operand 0",
                           [&] { einsum("i->i", {a}); });
  expect_error<ShapeError>("is more than the number of dimensions (2)",
                           [&] { einsum("...ijk->i", {a}); });
  expect_error<ShapeError>("operand 1 has size 2 at dimension 0", [&] { einsum("ij,jk", {a, a}); });
  expect_error<DtypeError>("einsum: expected scalar type Float but found Double", [&] {
    einsum("ij,ij", {a, a.to(kFloat64)});
  });
  expect_error<UndefinedTensor>("operand 1 is undefined", [&] { einsum("ij,ij", {a, Tensor()}); });
}

TEST(Einsum, ContractsInTheOrderWithFewestProducts) {
  // From the left it would make a 400 x 400 matrix, and keep it for backward.
  const Tensor a = pattern_leaf({400, 1}, 3), b = pattern_leaf({1, 400}, 5),
               c = pattern_leaf({400, 1}, 7);
  const auto before = counters().live_bytes;
  const Tensor y = einsum("ij,jk,kl->il", {a, b, c});
  EXPECT_LE(counters().live_bytes - before, 2 * 400 * 8);
  expect_values(y, values(mm(a, mm(b, c))));
}

TEST(Linear, TheGradientOfItsWeightIsRowMajorSoNobodyCopiesIt) {
  const Variable weight = ones({3, 4}, requires_grad());
  const Tensor y = linear(ones({2, 4}), weight, ones({3}));
  EXPECT_TRUE(autograd::grad({y.sum()}, {weight})[0].is_contiguous());
}

}  // namespace
}  // namespace notape::testing
