// Inverses, systems of equations, Cholesky's decomposition and determinants, beside PyTorch 2.15.
#include "ops/linalg/determinant.h"
#include "ops/linalg/testing/second_source.h"

namespace notape::testing {
namespace {

Tensor definite(const Tensor& x) {
  return matmul(x, transpose(x, -2, -1)) + eye(x.size(-1), x.dtype());
}
Tensor matrix(std::initializer_list<double> entries, IntArrayRef sizes) {
  return tensor(std::vector<double>(entries), kFloat64).reshape(sizes);
}

TEST(LinalgInv, IsAsInLibTorch) {
  const auto call = [](const variable_list& x) { return TensorList{linalg_inv(x[0])}; };
  expect_as_libtorch(call, {{{3, 3}, 5}},
                     {{-0.512820512820513, 1.02564102564103, 0.82051282051282, -0.307692307692308,
                       0.615384615384615, -0.307692307692308, -1.17948717948718, 0.358974358974359,
                       -0.512820512820513}},
                     {{18.6666666666667, 0, -14.6666666666667, -13.3333333333333, 0,
                       9.33333333333333, 5.33333333333333, 0, -5.33333333333333}});
  expect_as_libtorch(call, {{{2, 2, 2}, 5}},
                     {{0.266666666666667, -1.06666666666667, 1.06666666666667, -0.266666666666667,
                       0.833333333333333, -0.333333333333333, 0.5, -1.0}},
                     {{4.19555555555556, -2.41777777777778, -2.91555555555556, 1.13777777777778,
                       -3.38888888888889, 5.16666666666667, 3.88888888888889, -5.66666666666667}});
}

TEST(LinalgInv, HasLibTorchsSecondDerivative) {
  const Tensor x = pattern_leaf({2, 2}, 5);
  const Tensor y = linalg_inv(x);
  const Tensor first = autograd::grad({y}, {x}, {counting_like(y)}, {}, true)[0];
  expect_close(autograd::grad({(first * counting_like(first)).sum()}, {x})[0],
               {7.98340740740741, 1.49807407407407, -10.0314074074074, 0.549925925925926});
}

TEST(LinalgInv, TakesAnyLayoutAndLargeMatrices) {
  const Tensor a = pattern({3, 40, 40}, 5) + 60 * eye(40, kFloat64);
  const Tensor expected = linalg_inv(a);
  EXPECT_LT((matmul(a, expected) - eye(40, kFloat64)).abs().max().item<double>(), 1e-13);
  for (const std::vector<int>& order :
       std::vector<std::vector<int>>{{0, 2, 1}, {1, 0, 2}, {2, 1, 0}})
    EXPECT_TRUE(equal(linalg_inv(laid_out(a, order, 1)), expected));
  EXPECT_TRUE(equal(a.select(0, 0).inverse(), expected.select(0, 0)));
}

TEST(LinalgInv, OfNothingIsNothing) {
  EXPECT_EQ(linalg_inv(empty({0, 0})).sizes(), IntArrayRef({0, 0}));
  EXPECT_EQ(linalg_inv(empty({0, 2, 2})).sizes(), IntArrayRef({0, 2, 2}));
  EXPECT_EQ(linalg_inv(empty({2, 0, 0})).sizes(), IntArrayRef({2, 0, 0}));
}

TEST(LinalgInv, RefusesWhatHasNoInverse) {
  const Tensor singular = matrix({1, 2, 2, 4}, {2, 2}), one = eye(2, kFloat64);
  expect_error<LinalgError>(
      "linalg_inv: The diagonal element 2 is zero, the inversion could not be completed because "
      "the input matrix is singular.",
      [&] { linalg_inv(singular); });
  expect_error<LinalgError>("(Batch element 1): The diagonal element 2 is zero", [&] {
    linalg_inv(stack({one, singular}));
  });
  expect_error<ShapeError>("A must be batches of square matrices, but they are 2 by 3 matrices",
                           [&] {
                             linalg_inv(ones({2, 3}));
                           });
  expect_error<ShapeError>("The input tensor A must have at least 2 dimensions.",
                           [&] { linalg_inv(ones({2})); });
  expect_error<DtypeError>("Low precision dtypes not supported. Got Half",
                           [&] { linalg_inv(one.to(kHalf)); });
  expect_error<DtypeError>("Expected a floating point tensor as input. Got Long",
                           [&] { linalg_inv(one.to(kInt64)); });
}

TEST(LinalgSolve, IsAsInLibTorch) {
  expect_as_libtorch([](const variable_list& x) { return TensorList{linalg_solve(x[0], x[1])}; },
                     {{{3, 3}, 5}, {{3, 2}, 7}}, {{1, -1, 0, 0, -0.5, 1.5}},
                     {{-2, 0, 10.3333333333333, 2, 0, -7.66666666666667, 0, 0, 2.66666666666667},
                      {-7.33333333333333, -9.33333333333333, 4.66666666666667, 6.66666666666667,
                       -2.66666666666667, -2.66666666666667}});
  expect_as_libtorch(
      [](const variable_list& x) { return TensorList{linalg_solve(x[0], x[1], false)}; },
      {{{2, 2, 2}, 5}, {{3, 2}, 7}},
      {{-1.26666666666667, 0.0666666666666667, -0.933333333333333, -0.266666666666667, -0.6, -0.6,
        -0.416666666666667, 1.16666666666667, -0.0833333333333334, 0.833333333333333, 0.25, 0.5}},
      {{-8.64, 4.90666666666667, -3.84, 2.77333333333333, 0.375, -0.708333333333334, -9.75,
        13.0833333333333},
       {1.3, -3.96666666666667, 0.7, -3.36666666666667, 0.1, -2.76666666666667}});
}

TEST(LinalgSolve, TakesVectorsWhereLibTorchDoes) {
  expect_as_libtorch(
      [](const variable_list& x) { return TensorList{linalg_solve(x[0], x[1])}; },
      {{{2, 2, 2}, 5}, {{2, 2}, 7}}, {{1.4, 0.6, 0.75, 1.25}},
      {{-3.36, -1.44, 2.24, 0.96, -3.375, -5.625, 3.75, 6.25}, {2.4, -1.6, 4.5, -5.0}});
  const Tensor a = eye(2, kFloat64).expand({3, 2, 2});
  EXPECT_EQ(linalg_solve(a, ones({3, 2}, kFloat64)).sizes(), IntArrayRef({3, 2}));
  EXPECT_EQ(linalg_solve(a, ones({2}, kFloat64)).sizes(), IntArrayRef({3, 2}));
  EXPECT_EQ(linalg_solve(a.narrow(0, 0, 1), ones({2, 2}, kFloat64)).sizes(),
            IntArrayRef({1, 2, 2}));
  EXPECT_EQ(linalg_solve(a.unsqueeze(1), ones({4, 2, 5}, kFloat64)).sizes(),
            IntArrayRef({3, 4, 2, 5}));
  EXPECT_EQ(linalg_solve(empty({0, 0}), empty({0, 3})).sizes(), IntArrayRef({0, 3}));
}

TEST(LinalgSolve, RefusesWhatHasNoSolution) {
  const Tensor one = eye(2), singular = tensor({1., 2., 2., 4.}).to(kFloat32).reshape({2, 2});
  expect_error<LinalgError>("The solver failed because the input matrix is singular.",
                            [&] { linalg_solve(singular, one); });
  expect_error<LinalgError>("(Batch element 1): The solver failed", [&] {
    linalg_solve(stack({one, singular}), one);
  });
  expect_error<ShapeError>("Incompatible shapes of A and B for the equation AX = B (2x2 and 3x2)",
                           [&] {
                             linalg_solve(one, ones({3, 2}));
                           });
  expect_error<ShapeError>("equation XA = B (2x2 and 2x1)",
                           [&] { linalg_solve(one, ones({2}), false); });
  expect_error<ShapeError>("The input tensor B must have at least 2 dimensions.",
                           [&] { linalg_solve(one, ones({})); });
  expect_error<DtypeError>("found A of type Float and B of type Double instead",
                           [&] { linalg_solve(one, one.to(kFloat64)); });
}

TEST(LinalgSolveTriangular, IsAsInLibTorch) {
  expect_as_libtorch(
      [](const variable_list& x) {
        return TensorList{linalg_solve_triangular(x[0], x[1], false, false, true)};
      },
      {{{3, 3}, 5}, {{2, 3}, 7}}, {{0.03125, -0.625, 0.5, -0.390625, -0.1875, -0.75}},
      {{0, 0, 0, 1.375, 0, 0, 2.5, 2.125, 0}, {1, 1.75, 4.4375, 4, 4, 8}});
  const Tensor x = linalg_solve_triangular(zeros({2, 2}), ones({2, 1}), true);
  EXPECT_TRUE(std::isnan(x[0][0].item<float>()) && std::isinf(x[1][0].item<float>()));
  expect_error<ShapeError>("The input tensor B must have at least 2 dimensions.",
                           [&] { linalg_solve_triangular(eye(2), ones({2}), true); });
  expect_error<ShapeError>("equation AX = B (2x2 and 3x2)", [&] {
    linalg_solve_triangular(eye(2), ones({3, 2}), true);
  });
}

TEST(LinalgCholesky, IsAsInLibTorch) {
  expect_as_libtorch(
      [](const variable_list& x) { return TensorList{linalg_cholesky(definite(x[0]))}; },
      {{{3, 3}, 5}},
      {{1.75, 0, 0, 1.10714285714286, 1.52863818278805, 0, -0.821428571428571, -0.508989787937069,
        1.48026500931982}},
      {{2.14309540358366, 0.621984292055304, -1.35545308671907, 6.34172597812668, 1.55319835697145,
        -4.93799990836517, 5.80892087380549, 5.5489730163837, -5.89109558298063}});
  expect_as_libtorch(
      [](const variable_list& x) { return TensorList{cholesky(definite(x[0]), true)}; },
      {{{2, 2, 2}, 5}},
      {{1.43614066163451, 0.348155311911396, 0, 1.39330107255678, 1.87082869338697,
        0.935414346693485, 0, 1.5}},
      {{-0.828506791811341, 0.701588278144208, -3.0450424611335, 1.41437033755866, 4.00891862868637,
        -1.87677444584455, 4.81070235442364, -6.93690078480788}});
}

TEST(LinalgCholesky, HasLibTorchsSecondDerivativeWhichIsSymmetric) {
  const Tensor x = definite(pattern({2, 2}, 5)).detach().requires_grad_();
  const Tensor y = linalg_cholesky(x);
  const Tensor first = autograd::grad({y}, {x}, {counting_like(y)}, {}, true)[0];
  expect_close(autograd::grad({(first * counting_like(first)).sum()}, {x})[0],
               {-0.46632662369458, -1.56927296103815, -1.56927296103815, -1.05244376555009});
}

TEST(LinalgCholesky, ReadsOneTriangleAndRefusesWhatIsNotDefinite) {
  const Tensor a = matrix({1, 9, 0.5, 2}, {2, 2});
  expect_close(linalg_cholesky(a), {1, 0, 0.5, std::sqrt(1.75)});
  expect_error<LinalgError>(
      "linalg_cholesky: The factorization could not be completed because the input is not "
      "positive-definite (the leading minor of order 2 is not positive-definite).",
      [&] { linalg_cholesky(a, true); });
  expect_error<LinalgError>("(Batch element 1): The factorization", [&] {
    linalg_cholesky(stack({eye(2), -eye(2)}));
  });
  const double nan = std::nan("");
  expect_error<LinalgError>("the leading minor of order 2", [&] {
    linalg_cholesky(matrix({1, 0, nan, 2}, {2, 2}));
  });
  expect_close(linalg_cholesky(matrix({4, nan, 0, 9}, {2, 2})), {2, 0, 0, 3});
}

TEST(LinalgDet, IsAsInLibTorch) {
  expect_as_libtorch([](const variable_list& x) { return TensorList{linalg_det(x[0])}; },
                     {{{2, 3, 3}, 5}}, {{1.21875, -2.03125}},
                     {{-0.625, -0.375, -1.4375, 1.25, 0.75, 0.4375, 1.0, -0.375, -0.625, -1.25, 2.5,
                       -1.25, 2.5, 4.75, 0.875, -1.25, -4.0, -2.875}});
  expect_close(det(empty({2, 0, 0})), {1, 1});
  EXPECT_EQ(det(empty({0, 0})).item<float>(), 1);
  expect_error<ShapeError>("A must be batches of square matrices, but they are 2 by 3 matrices",
                           [&] {
                             det(ones({2, 3}));
                           });
}

// (PyTorch 2.15's gradient of the first is zero.)
TEST(LinalgDet, OfASingularMatrixHasTheCofactorsAsItsGradient) {
  const Tensor a = matrix({1, 2, 2, 4}, {2, 2}).requires_grad_();
  expect_close(autograd::grad({det(a)}, {a})[0], {4, -2, -2, 1});
  // diag(0, 2, .., n): the one cofactor that is not zero is n!.
  for (int64_t n : {3, 8, 12}) {
    Tensor diagonal = arange(1, n + 1, kFloat64);
    diagonal.select(0, 0).fill_(0);
    const Tensor b = stack({diag_embed(diagonal), eye(n, kFloat64)}).requires_grad_();
    const Tensor gradient = autograd::grad({det(b).sum()}, {b})[0];
    Tensor expected = stack({zeros({n, n}, kFloat64), eye(n, kFloat64)});
    expected.select(0, 0).select(0, 0).select(0, 0).fill_(std::tgamma(n + 1));
    EXPECT_TRUE(allclose(gradient, expected, 1e-12, 1e-6)) << gradient;
  }
}

TEST(LinalgDet, OfASingularMatrixHasASecondDerivative) {
  // d^2 det / da_00 da_ii of diag(0, 2, 3, 4) is the product of the others.
  const Tensor a = diag_embed(matrix({0, 2, 3, 4}, {4})).requires_grad_();
  const Tensor first = autograd::grad({det(a)}, {a}, {}, {}, true)[0];
  const Tensor second = autograd::grad({first[0][0]}, {a})[0];
  expect_close(second, {0, 0, 0, 0, 0, 12, 0, 0, 0, 0, 8, 0, 0, 0, 0, 6});
}

TEST(LinalgSlogdet, IsAsInLibTorch) {
  expect_as_libtorch(
      [](const variable_list& x) {
        const auto [sign, logarithm] = linalg_slogdet(x[0]);
        return TensorList{sign, logarithm};
      },
      {{{2, 2, 2}, 5}}, {{1, -1}, {-0.0645385211375712, 0.405465108108164}},
      {{0.266666666666667, 1.06666666666667, -1.06666666666667, -0.266666666666667,
        1.66666666666667, 1, -0.666666666666667, -2}});
  expect_as_libtorch([](const variable_list& x) { return TensorList{logdet(definite(x[0]))}; },
                     {{{3, 3}, 5}}, {{2.75242836495023}},
                     {{-0.202777604782961, 0.067260384878869, -0.825309833717382, 0.582923335616865,
                       0.592887837080401, -0.0156940898050695, 0.701500903032945,
                       -0.448900790932304, -0.388117332004733}});
}

TEST(LinalgSlogdet, OfSingularNegativeAndEmptyMatricesIsAsInLibTorch) {
  const auto [sign, logarithm] = slogdet(matrix({1, 2, 2, 4}, {2, 2}));
  EXPECT_EQ(sign.item<double>(), 0);
  EXPECT_EQ(logarithm.item<double>(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(logdet(matrix({1, 2, 2, 4}, {2, 2})).item<double>(),
            -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(logdet(-eye(3)).item<float>()));
  const auto [one, zero] = slogdet(empty({0, 0}));
  EXPECT_EQ(one.item<float>(), 1);
  EXPECT_EQ(zero.item<float>(), 0);
  expect_error<ShapeError>("logdet: A must be batches of square matrices", [&] {
    logdet(ones({2, 3}));
  });
}

TEST(Decompositions, OfMatricesWithNanAreNanAndLeaveTheOthersAlone) {
  const double nan = std::nan("");
  const Tensor a = stack({matrix({nan, 0, 0, 1}, {2, 2}), eye(2, kFloat64)});
  EXPECT_TRUE(isnan(linalg_inv(a).select(0, 0)).all().item<bool>());
  expect_close(linalg_inv(a).select(0, 1), {1, 0, 0, 1});
  EXPECT_TRUE(std::isnan(det(a)[0].item<double>()));
  EXPECT_EQ(det(a)[1].item<double>(), 1);
}

}  // namespace
}  // namespace notape::testing
