// Regression cases E: layouts, broadcasting and empty shapes.
#include "verify/cases/testing/raise_or.h"
#include "verify/checks/check.h"
#include "verify/runner/case_source.h"

namespace notape::testing {
namespace {

using T = const Tensor&;

TEST(Cases, E1_AnExpandedOperandThatIsReshapedHasTheGradientOfItsCopy) {
  const auto gradient = [](bool copied) {
    const Tensor x = leaf({{2, 3}});
    Tensor matrix = x.expand({2, 2});
    if (copied) matrix = matrix.clone();
    const Tensor weights = constant({{1, 2}, {3, 4}});
    (matrix.reshape({4}).reshape({2, 2}).matmul(weights)).backward(constant({{1, 0}, {0, 1}}));
    return values(x.grad());
  };
  EXPECT_EQ(gradient(false), gradient(true));
  const auto by_einsum = [](bool copied) {
    const Tensor x = leaf({{2, 3}}), matrix = x.expand({2, 2});
    einsum("ij,jk->ik", {copied ? matrix.clone() : matrix, constant({{1, 2}, {3, 4}})})
        .backward(constant({{1, 0}, {0, 1}}));
    return values(x.grad());
  };
  EXPECT_EQ(by_einsum(false), by_einsum(true));
}

/// f of images whose channels are last in memory, and of a copy: values and the image's gradient.
template <typename F>
void expect_same_channels_last(const F& f) {
  const auto run = [&](bool copied) {
    const Tensor x = (arange(0, 2 * 3 * 4 * 4, kFloat64).view({2, 4, 4, 3}).sin()).requires_grad_();
    Tensor image = x.permute({0, 3, 1, 2});
    if (copied) image = image.contiguous();
    const Tensor y = f(image);
    square(y).sum().backward();
    std::vector<double> all = values(y);
    for (double g : values(x.grad())) all.push_back(g);
    return all;
  };
  EXPECT_THAT(run(false), ::testing::Pointwise(::testing::DoubleNear(1e-13), run(true)));
}

TEST(Cases, E2_AveragesOfWindowsAreThoseOfACopyWhereChannelsAreLast) {
  expect_same_channels_last([](T x) { return avg_pool2d(x, 2, Pair(1), 1); });
}

TEST(Cases, E5_BatchNormIsThatOfACopyWhereChannelsAreLast) {
  const Tensor weight = leaf({0.5, -1, 2}), bias = leaf({0.1, 0.2, 0.3});
  expect_same_channels_last(
      [&](T x) { return batch_norm(x, weight, bias, Tensor(), Tensor(), true, 0.1, 1e-5); });
}

TEST(Cases, E4_ActivationsOfAPermutedInputHaveTheGradientsOfACopy) {
  Tensor (*const functions[])(T) = {[](T x) { return tanh(x); }, [](T x) { return sigmoid(x); },
                                    [](T x) { return silu(x); }};
  const Tensor start = arange(0, 24, kFloat64).view({2, 3, 4}) / 8 - 1;
  for (const auto f : functions) {
    const Tensor x = start.clone().requires_grad_(), y = start.clone().requires_grad_();
    f(x.permute({2, 0, 1})).sum().backward();
    f(y.permute({2, 0, 1}).contiguous()).sum().backward();
    EXPECT_EQ(values(x.grad()), values(y.grad()));
  }
}

TEST(Cases, E6_AConvolutionWithATransposedKernelHasTheGradientsOfItsCopy) {
  const auto gradients = [](bool copied) {
    const Tensor x = (arange(0, 32, kFloat64).view({1, 2, 4, 4}) / 7).clone().requires_grad_();
    const Tensor w = (arange(0, 24, kFloat64).view({2, 3, 2, 2}) / 5 - 2).clone().requires_grad_();
    Tensor kernel = w.transpose(0, 1);
    if (copied) kernel = kernel.contiguous();
    square(conv2d(x, kernel)).sum().backward();
    std::vector<double> both = values(x.grad());
    for (double g : values(w.grad())) both.push_back(g);
    return both;
  };
  EXPECT_EQ(gradients(false), gradients(true));
}

TEST(Cases, E7_EveryOperatorTakesIncomingGradientsOfEveryLayout) {
  using namespace verify;
  std::size_t compared = 0;
  for (const OpSpec* spec : op_specs()) {
    if (spec->order == 0) continue;
    for (int number = 0; number < 3; ++number) {
      ChoiceDraw draw(random_for(*spec, kFloat64, 77, number));
      DrawnCase drawn = draw_case(*spec, draw, kFloat64);
      for (DrawnArgument& argument : drawn.arguments) argument.layout = {};
      for (const Layout::Kind kind :
           {Layout::Kind::Permuted, Layout::Kind::Step, Layout::Kind::Expanded}) {
        drawn.incoming = {kind, 1};
        const Subject subject(*spec, drawn, kFloat64, {});
        if (!subject.is_differentiable()) continue;
        const verify::Run run =
            subject.run(subject.inputs(), subject.incoming_tensor(Placement::AsDrawn));
        for (std::size_t a : subject.real_arguments()) {
          if (!run.defined[a]) continue;
          // A broadcast operand's gradient is a sum, in the order of memory.
          EXPECT_THAT(run.gradients[a], Pointwise(::testing::NanSensitiveDoubleNear(1e-11),
                                                  subject.base().gradients[a]))
              << spec->name << " " << drawn.op.label << ", argument " << a;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 300u);
}

TEST(Cases, E9_AnEmptyDimensionLeavesZerosInTheOtherOperand) {
  const Tensor a = zeros({4, 0}, kFloat64).requires_grad_(), b = counting_leaf(4);
  (a + b.unsqueeze(1)).sum().backward();
  expect_values(b.grad(), {0, 0, 0, 0});
  EXPECT_EQ(a.grad().sizes().vec(), (std::vector<int64_t>{4, 0}));
}

TEST(Cases, E10_GradientsOfBroadcastOperandsHaveTheShapesOfTheOperands) {
  const Tensor a = leaf({2.0}), b = ones({5, 4}, kFloat64).requires_grad_();
  (a * b).sum().backward();
  EXPECT_EQ(a.grad().sizes().vec(), std::vector<int64_t>{1});
  EXPECT_EQ(b.grad().sizes().vec(), (std::vector<int64_t>{5, 4}));
  expect_values(a.grad(), {20});
  EXPECT_THROW(ones({5, 2, 1}) + ones({5, 2}), ShapeError);
}

TEST(Cases, E12_AScalarThatMeetsEveryEntryHasAScalarGradient) {
  constexpr int64_t n = 5;
  const Tensor z = leaf(0.5), y = arange(0, n, kFloat64);
  const Tensor shifted = y + z;
  logsumexp(stack({z.expand({n}), shifted}), 0).sum().backward();
  EXPECT_EQ(z.grad().dim(), 0);
  EXPECT_NEAR(z.grad().item(), static_cast<double>(n), 1e-12);
  const Tensor again = leaf(0.5);
  logaddexp(again, y + again).sum().backward();
  EXPECT_EQ(again.grad().dim(), 0);
  EXPECT_NEAR(again.grad().item(), static_cast<double>(n), 1e-12);
}

TEST(Cases, E13_ScansOfNothingAndScattersOfNothingHaveGradients) {
  const Tensor x = zeros({2, 0}, kFloat64).requires_grad_();
  cumsum(x, 1).sum().backward();
  EXPECT_EQ(x.grad().sizes().vec(), (std::vector<int64_t>{2, 0}));
  const Tensor z = zeros({2, 0}, kFloat64).requires_grad_();
  cumprod(z, 1).sum().backward();
  EXPECT_EQ(z.grad().sizes().vec(), (std::vector<int64_t>{2, 0}));
  const Tensor base = zeros({3}, kFloat64), source = counting_leaf(3);
  scatter_add(base, 0, empty({0}, kInt64), source).sum().backward();
  expect_values(source.grad(), {0, 0, 0});
}

}  // namespace
}  // namespace notape::testing
