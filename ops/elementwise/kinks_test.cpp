// Derivatives at singular points: the slope of smallest size at a kink, limits at the ends of a
// domain, exact zeros for what was not selected. SEMANTICS: "Structural zeros and kinks".
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

using T = const Tensor&;

/// The first derivatives of f at one point, by repeated reverse mode. A result outside the graph is
/// constant.
template <typename F>
std::vector<double> derivatives_of(const F& f, double at, int orders) {
  const Tensor x = leaf(at);
  Tensor y = f(x);
  std::vector<double> result;
  for (int order = 1; order <= orders; ++order) {
    if (y.defined() && y.requires_grad())
      y = autograd::grad({y}, {x}, {}, true, true, true)[0];
    else
      y = Tensor();
    result.push_back(y.defined() ? y.item() : 0);
  }
  return result;
}

struct Row {
  const char* name;
  Tensor (*f)(T x);
  double at;
  std::vector<double> expected;  // order 1, 2, ...
};

const Row kRows[] = {
    {"abs", [](T x) { return abs(x); }, 0, {0, 0, 0}},
    {"abs left", [](T x) { return abs(x); }, -1e-300, {-1, 0, 0}},
    {"maximum(x, -x)", [](T x) { return maximum(x, -x); }, 0, {0, 0, 0}},
    {"sign", [](T x) { return sign(x); }, 0, {0, 0}},
    {"relu", [](T x) { return relu(x); }, 0, {0, 0, 0}},
    {"relu right", [](T x) { return relu(x); }, 1e-300, {1, 0, 0}},
    {"clamp_min", [](T x) { return clamp_min(x, 0); }, 0, {0, 0}},
    {"clamp_max", [](T x) { return clamp_max(x, 0); }, 0, {0, 0}},
    {"clamp at low", [](T x) { return clamp(x, -1, 2); }, -1, {0, 0}},
    {"clamp at high", [](T x) { return clamp(x, -1, 2); }, 2, {0, 0}},
    {"clamp inside", [](T x) { return clamp(x, -1, 2); }, 0.5, {1, 0}},
    {"clamp outside", [](T x) { return clamp(x, -1, 2); }, 5, {0, 0}},
    {"clamp to a point", [](T x) { return clamp(x, 1, 1); }, 1, {0, 0}},
    {"clamp from below only", [](T x) { return clamp(x, 1); }, kInfinity, {1, 0}},
    {"maximum, constant", [](T x) { return maximum(x, zeros_like(x)); }, 0, {0, 0}},
    {"minimum, constant", [](T x) { return minimum(zeros_like(x), x); }, 0, {0, 0}},
    {"where relu", [](T x) { return where(x > 0, x, 0); }, 0, {0, 0}},
    {"where differentiates its choice", [](T x) { return where(x >= 0, x, 0); }, 0, {1, 0}},
    {"sqrt", [](T x) { return sqrt(x); }, 0, {kInfinity, -kInfinity}},
    {"x^0.5", [](T x) { return pow(x, 0.5); }, 0, {kInfinity, -kInfinity, kInfinity}},
    {"log", [](T x) { return log(x); }, 0, {kInfinity, -kInfinity, kInfinity}},
    {"log inside", [](T x) { return log(x); }, 2, {0.5, -0.25, 0.25}},
    {"log outside", [](T x) { return log(x); }, -2, {kNaN, kNaN, kNaN}},
    {"log1p outside", [](T x) { return log1p(x); }, -3, {kNaN, kNaN, kNaN}},
    {"log1p", [](T x) { return log1p(x); }, -1, {kInfinity, -kInfinity, kInfinity}},
    {"log1p inside", [](T x) { return log1p(x); }, 1, {0.5, -0.25, 0.25}},
    {"x^0", [](T x) { return pow(x, 0); }, 0, {0, 0, 0}},
    {"x^0 at infinity", [](T x) { return pow(x, 0); }, kInfinity, {0, 0, 0}},
    {"x^0 at NaN", [](T x) { return pow(x, 0); }, kNaN, {0, 0, 0}},
    {"x^1", [](T x) { return pow(x, 1); }, 0, {1, 0, 0}},
    {"x^2", [](T x) { return pow(x, 2); }, 0, {0, 2, 0}},
    {"x^3", [](T x) { return pow(x, 3); }, 0, {0, 0, 6}},
    {"x^2.5", [](T x) { return pow(x, 2.5); }, 0, {0, 0, kInfinity}},
    {"x^-1", [](T x) { return pow(x, -1); }, 0, {-kInfinity, kInfinity}},
    {"square", [](T x) { return square(x); }, 0, {0, 2, 0}},
    {"2^x", [](T x) { return pow(2, x); }, 0, {0.69314718056, 0.480453013918, 0.333024651988}},
    {"0^x right", [](T x) { return pow(0, x); }, 1, {0, 0, 0}},
    {"0^x at 0", [](T x) { return pow(0, x); }, 0, {0, 0, 0}},
    {"0^x left", [](T x) { return pow(0, x); }, -1, {-kInfinity, kInfinity, -kInfinity}},
    {"0^NaN", [](T x) { return pow(0, x); }, kNaN, {kNaN, kNaN}},
    {"1^NaN", [](T x) { return pow(1, x); }, kNaN, {0, 0}},
    {"infinity^x left", [](T x) { return pow(kInfinity, x); }, -2, {0, 0}},
    {"x^infinity at 1", [](T x) { return pow(x, kInfinity); }, 1, {kInfinity, kInfinity}},
    {"x^NaN", [](T x) { return pow(x, kNaN); }, 1, {kNaN, kNaN}},
    {"x^1e300 at 1", [](T x) { return pow(x, full_like(x, 1e300)); }, 1, {1e300, kInfinity}},
    {"x^-1e300 beyond 1", [](T x) { return pow(x, full_like(x, -1e300)); }, 2, {0, 0}},
    {"maximum(NaN, NaN)", [](T x) { return maximum(x, full_like(x, kNaN)); }, kNaN, {1, 0}},
    {"minimum(NaN, NaN)", [](T x) { return minimum(full_like(x, kNaN), x); }, kNaN, {1, 0}},
    {"maximum(x, NaN)", [](T x) { return maximum(x, full_like(x, kNaN)); }, 1, {0, 0}},
};

TEST(ElementwiseKinks, FollowTheTableInReverseAtEveryOrder) {
  for (const Row& row : kRows) {
    const std::vector<double> got =
        derivatives_of(row.f, row.at, static_cast<int>(row.expected.size()));
    EXPECT_THAT(got, Pointwise(::testing::NanSensitiveDoubleNear(1e-11), row.expected)) << row.name;
  }
}

TEST(ElementwiseKinks, FollowTheTableForward) {
  for (const Row& row : kRows) {
    const Tensor tangent = directional_derivative(row.f, constant(row.at), constant(1));
    const double got = tangent.defined() ? tangent.item() : 0;
    EXPECT_THAT(got, ::testing::NanSensitiveDoubleNear(row.expected[0], 1e-11)) << row.name;
  }
}

TEST(Pow, WithATensorExponentHasTheSameDerivativesAsWithANumber) {
  for (double p : {0.0, 1.0, 2.0, 3.0, 2.5, 0.5, -1.0})
    for (double at : {0.0, 0.7, 2.0}) {
      const auto by_tensor = derivatives_of([p](T x) { return pow(x, full_like(x, p)); }, at, 3);
      const auto by_number = derivatives_of([p](T x) { return pow(x, p); }, at, 3);
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_THAT(by_tensor[i],
                    ::testing::NanSensitiveDoubleNear(by_number[i], 1e-12 * std::abs(by_number[i])))
            << at << "^" << p << ", order " << i + 1;
    }
}

// y (y-1) (y-2) leaves the range long before 0^(y-3) is anything but 0.
TEST(Pow, HasNoNanWhereTheExponentIsTooLargeForItsOwnProduct) {
  const auto zeros_from = [](double at, double p, ScalarType type) {
    for (const bool by_tensor : {false, true}) {
      const Tensor x = tensor({at}, kFloat64).to(type).requires_grad_();
      const Tensor exponent = tensor({p}, kFloat64).to(type).requires_grad_();
      std::vector<Tensor> level{by_tensor ? pow(x, exponent) : pow(x, p)};
      for (int order = 0; order <= 4; ++order) {
        std::vector<Tensor> next;
        for (const Tensor& y : level) {
          EXPECT_EQ(y.item(), 0) << at << "^" << p << ", order " << order;
          if (!y.requires_grad()) continue;
          for (const Tensor& g : autograd::grad({y}, {x, exponent}, {}, true, true, true))
            if (g.defined()) next.push_back(g);
        }
        level = next;
      }
    }
  };
  for (const double at : {0.0, 0.5, 1e-200})
    for (const double p : {1e77, 1e102, 1e120, 1e155, 1e160, 1e300, 1.7e308})
      zeros_from(at, p, kFloat64);
  for (const double at : {0.0, 0.5})
    for (const double p : {1e10, 1e19, 1e20, 3e38}) zeros_from(at, p, kFloat32);
  for (const double at : {2.0, kInfinity})
    for (const double p : {-1e102, -1e155, -1e160, -1e300}) zeros_from(at, p, kFloat64);
  EXPECT_THAT(derivatives_of([](T x) { return pow(x, -1e160); }, 0, 3),
              ElementsAre(-kInfinity, kInfinity, -kInfinity));
}

TEST(Pow, OfZeroByTheExponentIsZeroExceptForNegativeOnes) {
  const Tensor a = constant({0, 0, 0, 2}), b = leaf({1, 0, -1, 1});
  pow(a, b).sum().backward();
  expect_close(b.grad(), {0, 0, -kInfinity, 1.386294361});
}

TEST(Pow, HasNoNanAtAnyMixedOrderOverZero) {
  for (double exponent : {0.0, 1.0, 2.0, 3.0, 0.5, -1.0}) {
    const Tensor a = leaf(0), b = leaf(exponent);
    std::vector<Tensor> level = {pow(a, b)};
    for (int order = 1; order <= 3; ++order) {
      std::vector<Tensor> next;
      for (const Tensor& y : level)
        for (const Tensor& g : autograd::grad({y}, {a, b}, {}, true, true, true))
          if (g.defined() && g.requires_grad()) next.push_back(g);
      for (const Tensor& g : next)
        EXPECT_FALSE(std::isnan(g.item())) << "0^" << exponent << ", order " << order;
      level = next;
    }
  }
}

// The eight numbers of a register are computed otherwise than the single ones behind them.
TEST(Pow, HasTheSameDerivativesInEveryPlaceOfALongTensor) {
  for (double exponent : {kInfinity, -kInfinity, 1e300, 1e17, -1e17, 0.5})
    for (double at : {1.0, -1.0, 0.0, 0.5, 3.0, kInfinity, kNaN}) {
      const Tensor x = full({11}, at, kFloat64).requires_grad_();
      pow(x, exponent).sum().backward();
      const double first = x.grad()[0].item();
      for (int64_t i = 1; i < 11; ++i)
        EXPECT_THAT(x.grad()[i].item(), ::testing::NanSensitiveDoubleEq(first))
            << at << "^" << exponent << ", place " << i;
    }
}

TEST(Pow, HasRightMixedDerivatives) {
  // d/da d/db a^b = a^(b-1) (1 + b log a), d2/da2 d/db = a^(b-2) (2b - 1 + b (b-1) log a)
  const double x = 1.7, y = 2.3;
  const Tensor a = leaf(x), b = leaf(y);
  const Tensor by_b = autograd::grad({pow(a, b)}, {b}, {}, true, true)[0];
  const Tensor by_ba = autograd::grad({by_b}, {a}, {}, true, true)[0];
  const Tensor by_baa = autograd::grad({by_ba}, {a}, {}, true, true)[0];
  const Tensor by_baab = autograd::grad({by_baa}, {b}, {}, true, true)[0];
  const double l = std::log(x), p = std::pow(x, y - 2), f = 2 * y - 1 + y * (y - 1) * l;
  EXPECT_NEAR(by_ba.item(), p * x * (1 + y * l), 1e-13);
  EXPECT_NEAR(by_baa.item(), p * f, 1e-13);
  EXPECT_NEAR(by_baab.item(), p * (l * f + 2 + (2 * y - 1) * l), 1e-12);
}

TEST(Maximum, SharesATieOfTwoActiveOperands) {
  const Tensor a = leaf({1, 2, 0.0}), b = leaf({1, 3, -0.0});
  maximum(a, b).sum().backward();
  expect_values(a.grad(), {0.5, 0, 0.5});
  expect_values(b.grad(), {0.5, 1, 0.5});
  const Tensor c = leaf({1, 2}), d = leaf({1, 3});
  minimum(c, d).sum().backward();
  expect_values(c.grad(), {0.5, 1});
  expect_values(d.grad(), {0.5, 0});
}

TEST(Maximum, SharesATieOfTwoTangents) {
  const autograd::forward_ad::DualLevelGuard level;
  const auto dual = [](double tangent) {
    return autograd::forward_ad::make_dual(constant(1), constant(tangent));
  };
  const Tensor both = maximum(dual(4), dual(10)), one = maximum(dual(4), constant(1));
  // A view could show the tangent of its base; this one has none.
  const Tensor view = constant({1, 1})[0], against_view = maximum(dual(4), view);
  EXPECT_EQ(autograd::forward_ad::unpack_dual(against_view).tangent.item(), 0);
  EXPECT_EQ(autograd::forward_ad::unpack_dual(both).tangent.item(), 7);
  EXPECT_EQ(autograd::forward_ad::unpack_dual(one).tangent.item(), 0);
}

TEST(Maximum, CountsADetachedOperandAsConstant) {
  const Tensor a = leaf(1), b = leaf(1);
  maximum(a, b.detach()).backward();
  EXPECT_EQ(a.grad().item(), 0);
}

TEST(Maximum, GivesTheGradientToNan) {
  const Tensor a = leaf({kNaN, 1, kNaN}), b = leaf({1, kNaN, kNaN});
  maximum(a, b).sum().backward();
  expect_values(a.grad(), {1, 0, 0.5});
  expect_values(b.grad(), {0, 1, 0.5});
}

TEST(StructuralZeros, IgnoreInfiniteAndNanGradients) {
  struct Case {
    const char* name;
    Tensor (*f)(T x);
  };
  const Case cases[] = {
      {"relu", [](T x) { return relu(x); }},
      {"clamp_min", [](T x) { return clamp_min(x, 0); }},
      {"clamp", [](T x) { return clamp(x, 0, 9); }},
      {"maximum", [](T x) { return maximum(x, zeros_like(x)); }},
      {"where", [](T x) { return where(x > 0, x, zeros_like(x)); }},
      {"where, number", [](T x) { return where(x > 0, x, 0); }},
      {"where, number first", [](T x) { return where(x <= 0, 0, x); }},
      {"masked_fill", [](T x) { return masked_fill(x, x <= 0, 0); }},
      {"masked_fill_", [](T x) { return x.clone().masked_fill_(x <= 0, 0); }},
      {"relu_", [](T x) { return x.clone().relu_(); }},
      {"clamp_", [](T x) { return x.clone().clamp_(0, 9); }},
  };
  for (const Case& one : cases) {
    const Tensor x = leaf({-1, 1, -2, 3, 0});
    const Tensor incoming = constant({kInfinity, 5, kNaN, 7, -kInfinity});
    one.f(x).backward(incoming);
    EXPECT_THAT(values(x.grad()), ElementsAre(0, 5, 0, 7, 0)) << one.name;
    EXPECT_THAT(values(directional_derivative(one.f, x.detach(), incoming)),
                ElementsAre(0, 5, 0, 7, 0))
        << one.name;
  }
}

TEST(StructuralZeros, HoldForTheGradientOfTheGradient) {
  const Tensor x = leaf({-1, 1}), v = leaf({1, 1});
  const Tensor gradient = autograd::grad({where(x > 0, x, 0)}, {x}, {v}, {}, true)[0];
  gradient.backward(constant({kNaN, 2}));
  expect_values(v.grad(), {0, 2});
}

TEST(Sigmoid, NeitherOverflowsNorLosesSmallValues) {
  for (ScalarType type : {kFloat32, kFloat64}) {
    const Tensor x = tensor({-1000, -60, 60, 1000}, dtype(type).requires_grad(true));
    const Tensor y = sigmoid(x);
    y.sum().backward();
    EXPECT_THAT(values(y), ElementsAre(0, DoubleNear(8.756510762696521e-27, 1e-32), 1, 1));
    EXPECT_EQ(x.grad()[0].item(), 0);
    EXPECT_EQ(x.grad()[3].item(), 0);
  }
}

TEST(Softplus, NeitherOverflowsNorLosesSmallValues) {
  for (ScalarType type : {kFloat32, kFloat64}) {
    const Tensor x = tensor({-1000, -60, 500, 1000}, dtype(type).requires_grad(true));
    const Tensor y = softplus(x, 1, 2000);
    y.sum().backward();
    EXPECT_THAT(values(y), ElementsAre(0, DoubleNear(8.756510762696521e-27, 1e-32), 500, 1000));
    EXPECT_THAT(values(x.grad()), ElementsAre(0, DoubleNear(8.756510762696521e-27, 1e-32), 1, 1));
  }
}

TEST(Log1p, KeepsSmallArguments) {
  EXPECT_EQ(log1p(constant(1e-20)).item(), 1e-20);
  EXPECT_EQ(log1p(tensor(1e-20, kFloat32)).item<float>(), 1e-20f);
}

TEST(Clamp, InPlaceMayBeOverwritten) {
  const Tensor x = leaf({-2, 0.5, 2});
  for (Tensor& (*clamped)(Tensor&) :
       {+[](Tensor& y) -> Tensor& { return y.clamp_(-1, 1); },
        +[](Tensor& y) -> Tensor& { return y.clamp_min_(-1).clamp_max_(1); }}) {
    x.set_grad({});
    Tensor y = x * 1;
    clamped(y).mul_(3);
    y.sum().backward();
    expect_values(x.grad(), {0, 3, 0});
  }
}

TEST(Hardtanh, InPlaceNeedsNoCopyOfItsInput) {
  const Tensor x = leaf({-2, 0.5, 7});
  for (Tensor& (*clamped)(Tensor&) : {+[](Tensor& y) -> Tensor& { return hardtanh_(y, -1, 6); },
                                      +[](Tensor& y) -> Tensor& { return relu6_(y); }}) {
    x.set_grad({});
    Tensor y = x * 1;
    const int64_t copies = counters().self_copies;
    clamped(y);
    EXPECT_EQ(counters().self_copies, copies);
    y.sum().backward();
    expect_values(x.grad(), {0, 1, 0});
  }
}

}  // namespace
}  // namespace notape::testing
