// Structural zeros: what no path selected has derivative 0, however infinite the derivatives are
// that it would have met. What a multiplication made zero has not.
#include "autograd/testing/slopes.h"

namespace notape::testing {
namespace {

using autograd::grad;
using autograd::forward_ad::DualLevelGuard;
using autograd::forward_ad::make_dual;
using autograd::forward_ad::unpack_dual;
using indexing::Slice;

Tensor entropy(const Tensor& x) { return where(x > 0, x * log(x), 0); }

TEST(StructuralZeros, WhereDifferentiatesTheChosenBranchAlone) {
  expect_exactly(slope(entropy, constant({0, 1})), {0, 1});
  expect_exactly(forward_slope(entropy, constant({0, 1})), {0, 1});
  const auto reversed = [](const Tensor& x) { return where(x <= 0, 0, x * log(x)); };
  expect_exactly(slope(reversed, constant({0, 1})), {0, 1});
}

TEST(StructuralZeros, AreOffUnderTheIeeeGuard) {
  const IeeeGradientGuard guard;
  expect_exactly(slope(entropy, constant({0, 1})), {kAnyNaN, 1});
}

TEST(StructuralZeros, TheIeeeGuardEndsWithItsScope) {
  { const IeeeGradientGuard guard; }
  expect_exactly(slope(entropy, constant({0, 1})), {0, 1});
}

TEST(StructuralZeros, AZeroThatAMultiplicationMadeStaysANumber) {
  const auto product = [](const Tensor& x) { return log(x) * 0; };
  expect_exactly(slope(product, constant({0, 1})), {kAnyNaN, 0});
  const auto masked_by_factor = [](const Tensor& x) { return log(x) * constant({0, 1}); };
  expect_exactly(slope(masked_by_factor, constant({0, 1})), {kAnyNaN, 1});
}

TEST(StructuralZeros, C1_WhereOfCosineAtInfinity) {
  const auto f = [](const Tensor& x) { return where(x < 1, cos(x), 0); };
  expect_exactly(slope(f, constant({0, kInfinity})), {0, 0});
  expect_exactly(forward_slope(f, constant({0, kInfinity})), {0, 0});
}

TEST(StructuralZeros, C2_WhereOfAnExponentialThatOverflows) {
  const auto f = [](const Tensor& x) { return where(x <= 0, exp(x), x + 1); };
  expect_exactly(slope(f, constant({1000})), {1});
  expect_exactly(forward_slope(f, constant({1000})), {1});
}

TEST(StructuralZeros, C3_RootsAndLogarithmsOutsideTheirDomain) {
  const auto root = [](const Tensor& x) { return where(x > 0, sqrt(x), x); };
  expect_exactly(slope(root, constant({-1, -4})), {1, 1});
  expect_exactly(forward_slope(root, constant({-1, -4})), {1, 1});
  const auto log2 = [](const Tensor& x) { return where(x > 2, log(x) / std::log(2), x * 2); };
  expect_exactly(slope(log2, constant({0, 2, 3})), {2, 2, 1 / (3 * std::log(2))});
  expect_exactly(forward_slope(log2, constant({0, 2, 3})), {2, 2, 1 / (3 * std::log(2))});
}

TEST(StructuralZeros, C11_LogSumExpOfWhatTheMaskLeaves) {
  const Tensor mask = truth({true, false});
  const Tensor x = constant({0, 100});
  const auto chosen = [&](const Tensor& t) { return t.index({mask}).logsumexp({0}); };
  expect_exactly(slope(chosen, x), {1, 0});
  const auto filled = [&](const Tensor& t) {
    return t.masked_fill(logical_not(mask), -kInfinity).logsumexp({0});
  };
  expect_exactly(slope(filled, x), {1, 0});
  const auto by_hand = [&](const Tensor& t) { return where(mask, exp(t), 0).sum().log(); };
  expect_exactly(slope(by_hand, constant({0, 1000})), {1, 0});  // exp(1000) overflows
}

TEST(StructuralZeros, AMaskedAndAnUnmaskedUseAddUp) {
  const auto f = [](const Tensor& x) { return entropy(x) + x * 3; };
  expect_exactly(slope(f, constant({0, 1})), {3, 4});
  // Both uses reach log(x): there the second makes the entry a number.
  const auto shared = [](const Tensor& x) {
    const Tensor y = log(x);
    return where(x > 0, y, 0) + y;
  };
  expect_exactly(slope(shared, constant({0, 1})), {kInfinity, 2});
  // Zero there by multiplication, whichever use comes first; the third entry counts in the other.
  const Tensor only_second = truth({false, true, false});
  for (const bool masked_first : {true, false}) {
    const auto both = [&](const Tensor& x) {
      const Tensor y = sqrt(x);
      Tensor masked, product;
      if (masked_first) masked = where(only_second, y, 0);
      product = y * constant({0, 0, 1});
      if (!masked_first) masked = where(only_second, y, 0);
      return masked + product;
    };
    expect_exactly(slope(both, constant({0, 4, 9})), {kAnyNaN, 0.25, 1.0 / 6});
  }
}

TEST(StructuralZeros, TwoMasksSelectWhatEitherSelects) {
  const Tensor first = truth({true, false, false}), second = truth({false, true, false});
  const auto f = [&](const Tensor& x) {
    const Tensor y = sqrt(x);
    return where(first, y, 0) + y.masked_fill(logical_not(second), 0);
  };
  expect_exactly(slope(f, constant({4, 1, 0})), {0.25, 0.5, 0});
  expect_exactly(slope(f, constant({0, 1, 0})), {kInfinity, 0.5, 0});
}

TEST(StructuralZeros, PassThroughEveryElementwiseDerivative) {
  const Tensor mask = truth({false, true});
  const std::vector<std::function<Tensor(const Tensor&)>> functions = {
      [](const Tensor& x) { return log(x); },
      [](const Tensor& x) { return log1p(x - 1); },
      [](const Tensor& x) { return rsqrt(x); },
      [](const Tensor& x) { return reciprocal(x); },
      [](const Tensor& x) { return 1 / x; },
      [](const Tensor& x) { return pow(x, 0.5); },
      [](const Tensor& x) { return pow(x, -2); },
      [](const Tensor& x) { return x / x; },
      [](const Tensor& x) { return log(x) * sqrt(x); },
      [](const Tensor& x) { return -(log(x) - 2) + 1; },
      [](const Tensor& x) { return addcmul(x, log(x), sqrt(x)); },
      [](const Tensor& x) { return log(x).to(kFloat32).to(kFloat64); },
      [](const Tensor& x) { return log(x).clone(); },
  };
  for (std::size_t i = 0; i < functions.size(); ++i) {
    SCOPED_TRACE(i);
    const auto f = [&](const Tensor& x) { return where(mask, functions[i](x), 0); };
    EXPECT_EQ(values(slope(f, constant({0, 4})))[0], 0);
    EXPECT_EQ(values(forward_slope(f, constant({0, 4})))[0], 0);
    const IeeeGradientGuard guard;
    EXPECT_FALSE(std::isfinite(values(slope(f, constant({0, 4})))[0]));
  }
}

TEST(StructuralZeros, FollowMovements) {
  const Tensor x = constant({0, 1, 4, 0});
  const Tensor mask = truth({false, true, true, false});
  const auto chosen = [&](const Tensor& y) { return where(mask, y, 0); };
  const std::vector<std::function<Tensor(const Tensor&)>> functions = {
      [&](const Tensor& y) {
        return where(mask.view({2, 2}), y.view({2, 2}), 0);
      },
      [&](const Tensor& y) {
        return where(mask.view({2, 2}).t(), y.view({2, 2}).t(), 0);
      },
      [&](const Tensor& y) {
        return where(mask.view({2, 2}).t(), y.view({2, 2}).transpose(0, 1).contiguous(), 0);
      },
      [&](const Tensor& y) {
        return where(mask.view({2, 2}).t(), y.view({2, 2}).permute({1, 0}), 0);
      },
      [&](const Tensor& y) { return chosen(y.unsqueeze(0).squeeze(0)); },
      [&](const Tensor& y) {
        return chosen(y.expand({3, 4}))[0];
      },
      [&](const Tensor& y) {
        return chosen(y.expand({1, 4}).sum({0}));
      },
      [&](const Tensor& y) {
        return chosen(cat({y.narrow(0, 0, 1), y.narrow(0, 1, 3)}));
      },
      [&](const Tensor& y) { return chosen(stack(y.unbind())); },
      [&](const Tensor& y) { return chosen(cat(y.split(2))); },
      [&](const Tensor& y) { return chosen(y.index_select(0, arange(4, kInt64))); },
      [&](const Tensor& y) { return y.narrow(0, 1, 2); },
      [&](const Tensor& y) {
        return stack({y[1], y[2]});
      },
      [&](const Tensor& y) { return y.slice(0, 1, 3); },
      [&](const Tensor& y) { return y.as_strided({2}, {1}, 1); },
      [&](const Tensor& y) {
        return cat({y, y}).as_strided({2, 2}, {4, 1}, 1).diagonal(0);
      },
      [&](const Tensor& y) { return y.index({mask}); },
      [&](const Tensor& y) { return y.index({Slice(1, 3)}); },
      [&](const Tensor& y) {
        return y.gather(0, tensor({1, 2}, kInt64));
      },
      [&](const Tensor& y) {
        return y.index_select(0, tensor({2, 1}, kInt64));
      },
      [&](const Tensor& y) { return y.cumsum(0).narrow(0, 0, 0).sum() + y.slice(0, 1, 3); },
  };
  for (std::size_t i = 0; i < functions.size(); ++i) {
    SCOPED_TRACE(i);
    const Tensor gradient = slope([&](const Tensor& t) { return functions[i](sqrt(t)); }, x);
    expect_exactly(gradient, {0, values(gradient)[1], values(gradient)[2], 0});
    EXPECT_NE(values(gradient)[1], 0);
    EXPECT_EQ(values(gradient)[1], 2 * values(gradient)[2]);
  }
}

TEST(StructuralZeros, SumsKeepThemApart) {
  // Rows that are not selected, seen through a sum over columns and a broadcast row.
  const Tensor rows = truth({true, false});
  const auto f = [&](const Tensor& x) { return where(rows, sqrt(x).sum({1}), 0); };
  expect_exactly(slope(f, constant({{1, 4}, {0, 9}})), {0.5, 0.25, 0, 0});
  const auto mean = [&](const Tensor& x) { return where(rows, sqrt(x).mean({1}), 0); };
  expect_exactly(slope(mean, constant({{1, 4}, {0, 9}})), {0.25, 0.125, 0, 0});
  // A row that is used in several rows of the result: zero only where all of them are.
  const Tensor some = truth({true, false, false, false}).view({2, 2});
  const auto broadcast = [&](const Tensor& x) { return where(some, sqrt(x) + zeros({2, 2}), 0); };
  expect_exactly(slope(broadcast, constant({4, 0})), {0.25, 0});
  expect_exactly(slope(broadcast, constant({0, 4})), {kInfinity, 0});
}

TEST(StructuralZeros, BecomeNumbersWhereEntriesAreMixed) {
  const Tensor mask = truth({false, true}), identity = constant({{1, 0}, {0, 1}});
  const auto f = [&](const Tensor& x) { return where(mask, matmul(log(x), identity), 0); };
  expect_exactly(slope(f, constant({0, 1})), {kAnyNaN, 1});
}

TEST(StructuralZeros, ComeFromEveryOperatorThatSelects) {
  const Tensor x = constant({0, 4});
  const std::vector<std::function<Tensor(const Tensor&)>> functions = {
      [](const Tensor& y) { return relu(y - 1); },
      [](const Tensor& y) { return clamp(y, 1, 3); },
      [](const Tensor& y) { return clamp_min(y, 1); },
      [](const Tensor& y) {
        return maximum(y, constant({1, 1}));
      },
      [](const Tensor& y) {
        return minimum(y, constant({-1, 8}));
      },
      [](const Tensor& y) { return y.max(); },
      [](const Tensor& y) { return std::get<0>(y.max(0)); },
      [](const Tensor& y) { return -(-y).min(); },
      [](const Tensor& y) { return -std::get<0>((-y).min(0)); },
      [](const Tensor& y) {
        return max_pool2d(y.view({1, 1, 2}), {1, 2});
      },
      [](const Tensor& y) { return y.masked_fill(y < 1, 7); },
      [](const Tensor& y) { return nll_loss(y, tensor(1, kInt64)); },
  };
  for (std::size_t i = 0; i < functions.size(); ++i) {
    SCOPED_TRACE(i);
    const Tensor gradient = slope([&](const Tensor& t) { return functions[i](sqrt(t)); }, x);
    EXPECT_EQ(values(gradient)[0], 0);
    EXPECT_EQ(std::abs(values(gradient)[1]), 0.25);
    const IeeeGradientGuard guard;
    EXPECT_FALSE(
        std::isfinite(values(slope([&](const Tensor& t) { return functions[i](sqrt(t)); }, x))[0]));
  }
}

TEST(StructuralZeros, AChainOfSelectionsLeavesWhatAllLetThrough) {
  const auto f = [](const Tensor& x) {
    const Tensor y = sqrt(x);
    return where(x < 3, relu(y - 0.5), 0).narrow(0, 1, 3);
  };
  expect_exactly(slope(f, constant({0, 1, 0, 4})), {0, 0.5, 0, 0});
}

TEST(StructuralZeros, LongChainsOfSelectionsNeedNoStack) {
  const auto f = [](const Tensor& x) {
    Tensor y = sqrt(x);
    for (int i = 0; i < 20000; ++i) y = relu(y);
    return where(truth({false, true}), y, 0);
  };
  expect_exactly(slope(f, constant({0, 4})), {0, 0.25});
}

TEST(StructuralZeros, HoldInEveryOrder) {
  const Tensor x = leaf({0, 1, 2});
  const Tensor first = grad({entropy(x).sum()}, {x}, {}, {}, true)[0];
  expect_exactly(first, {0, 1, 1 + std::log(2)});
  const Tensor second = grad({first.sum()}, {x}, {}, {}, true)[0];
  expect_exactly(second, {0, 1, 0.5});
  const Tensor third = grad({second.sum()}, {x})[0];
  expect_exactly(third, {0, -1, -0.25});
}

TEST(StructuralZeros, HoldWhereOnlyTheSecondDerivativeIsInfinite) {
  // x^1.5 has slope 0 at 0, so the first gradient shows nothing.
  const auto f = [](const Tensor& x) { return where(x > 0, pow(x, 1.5), 0); };
  const Tensor x = leaf({0, 4});
  const Tensor first = grad({f(x).sum()}, {x}, {}, {}, true)[0];
  expect_exactly(first, {0, 3});
  expect_exactly(grad({first.sum()}, {x})[0], {0, 0.375});
}

TEST(StructuralZeros, HoldForwardOverReverse) {
  const DualLevelGuard level;
  const Tensor input = make_dual(leaf({0, 4}), constant({1, 1}));
  const Tensor slopes =
      grad({where(input > 0, pow(input, 1.5), 0).sum()}, {input}, {}, {}, true)[0];
  expect_exactly(slopes, {0, 3});
  expect_exactly(unpack_dual(slopes).tangent, {0, 0.375});
}

TEST(StructuralZeros, HoldForRecordedInPlaceWritesAndSlices) {
  const Tensor x = leaf({0, 4, 0});
  Tensor y = log(x);
  y[0].fill_(1);
  const Tensor first = grad({y.narrow(0, 0, 2).sum()}, {x}, {}, {}, true)[0];
  expect_exactly(first, {0, 0.25, 0});
  expect_exactly(grad({first.sum()}, {x})[0], {0, -1.0 / 16, 0});
}

TEST(StructuralZeros, LeaveNothingBehind) {
  const NothingLeaks guard;
  const Tensor x = leaf({0, 1});
  const Tensor y = log(x);
  y.retain_grad();
  const Tensor z = where(x > 0, y, 0);
  z.sum().backward({}, true);
  expect_exactly(x.grad(), {0, 1});
  expect_exactly(y.grad(), {0, 1});
  z.sum().backward();  // adds to both, which are plain tensors
  expect_exactly(x.grad(), {0, 2});
  expect_exactly(y.grad(), {0, 2});
  EXPECT_FALSE(x.grad().impl().has(TensorImpl::kSupport));
  EXPECT_FALSE(y.grad().impl().has(TensorImpl::kSupport));
}

TEST(StructuralZeros, AreNoNaNToAnomalyMode) {
  const DetectAnomalyGuard anomaly;
  expect_exactly(slope(entropy, constant({0, 1})), {0, 1});
}

}  // namespace
}  // namespace notape::testing
