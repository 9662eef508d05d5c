// What people from outside tried: right functions that were called wrong, and wrong ones that were
// not, each with the reason why it was.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "verify/functions/gradcheck_test_helper.h"

namespace notape::verify {
namespace {

using autograd::AutogradContext;
using autograd::Function;

Tensor column(const std::vector<double>& values, ScalarType type = kFloat64) {
  return leaf(values, {static_cast<int64_t>(values.size())}).detach().to(type).requires_grad_(true);
}

TEST(FromOutside, ARightInfiniteSlopeIsNotAddedToItsOpposite) {
  const Report library = check([](const Tensor& x) { return sqrt(x); }, {column({0, 1, 4})});
  EXPECT_FALSE(is_red(library.verdict())) << library.text();
  const auto root = with_slope([](const Tensor& x) { return sqrt(x); },
                               [](const Tensor& x) { return 0.5 / sqrt(x); });
  const Report own = check_rules(root, column({0, 1, 4}), {.order = 1});
  EXPECT_FALSE(is_red(own.only("repeat").verdict())) << own.text();
  EXPECT_FALSE(is_red(own.only("long").verdict())) << own.text();
}

TEST(FromOutside, SlopesThatCancelLeaveRoundings) {
  const auto cosine = [](const Tensor& x, const Tensor& y) {
    return (x * y).sum() / sqrt((x * x).sum() * (y * y).sum());
  };
  const auto entropy = [](const Tensor& x) { return -(softmax(x, 0) * log_softmax(x, 0)).sum(); };
  const auto divergence = [](const Tensor& x) {
    return (softmax(x, 0) * (log_softmax(x, 0) + std::log(3.0))).sum();
  };
  for (ScalarType type : {kFloat64, kFloat32}) {
    const Report shared = check(cosine, {column({1, 2, 3}, type), column({3, -1, 2}, type)});
    EXPECT_FALSE(is_red(shared.verdict())) << shared.text();
    const Report ties = check(entropy, {column({0, 0, 0}, type)});
    EXPECT_FALSE(is_red(ties.verdict())) << ties.text();
    const Report uniform = check(divergence, {column({0, 0, 0}, type)});
    EXPECT_FALSE(is_red(uniform.verdict())) << uniform.text();
  }
}

/// Ascending; each entry's gradient is that of the place it went to.
struct Sorted : Function<Sorted> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    std::vector<double> values(x.const_data_ptr<double>(), x.const_data_ptr<double>() + x.numel());
    std::vector<int64_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
    });
    Tensor places = empty({x.numel()}, dtype(kInt64));
    for (std::size_t i = 0; i < order.size(); ++i)
      places.data_ptr<int64_t>()[order[i]] = static_cast<int64_t>(i);
    std::sort(values.begin(), values.end());
    ctx->save_for_backward({places});
    return tensor(values, dtype(kFloat64));
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0].index_select(0, ctx->get_saved_variables()[0])};
  }
};

TEST(FromOutside, ATieInFloat32OnlyIsNotCalledWrong) {
  const auto largest = [](const Tensor& x) { return (x + 1000).amax(0); };
  const auto sorted = [](const Tensor& x) { return std::get<0>(x.exp().sort(0)); };
  const auto positive = [](const Tensor& x) { return ((x + 1000) - 1000).relu(); };
  for (uint64_t seed = 1; seed <= 3; ++seed)
    for (const Report& report :
         {check(largest, {column({1e-5, 2e-5, -1}, kFloat32)}, {.seed = seed}),
          check(sorted, {column({2e-9, 1e-9, 1}, kFloat32)}, {.seed = seed}),
          check(positive, {column({1e-5, 1, -1}, kFloat32)}, {.seed = seed})})
      EXPECT_FALSE(is_red(report.verdict())) << report.text();
  // Off by more than a tie can make it.
  const auto wrong = with_slope([=](const Tensor& x) { return x + 1000; },
                                [](const Tensor& x) { return ones_like(x) * 1.01; });
  const Report twice = check_rules(wrong, column({1e-5, 2e-5, -1}, kFloat32), {.order = 1});
  EXPECT_EQ(twice.only("reverse").verdict(), Verdict::Fail) << twice.text();
}

Tensor deviation(const Tensor& x) { return (x - x.mean()).square().mean().sqrt(); }

/// Its second order is `factor` times what it should be.
Rules deviation_with_second(double factor) {
  return {.forward = deviation,
          .backward =
              [=](const Tensor& x, const Tensor& grad) {
                const Tensor slope = (x - x.mean()) / (deviation(x) * 3.0);
                return grad * (slope * factor + slope.detach() * (1 - factor));
              },
          .jvp =
              [](const Tensor& x, const Tensor& tangent) {
                return (tangent * (x - x.mean())).sum() / (deviation(x) * 3.0);
              }};
}

TEST(FromOutside, ASecondOrderBesideALargeOffsetIsNoKink) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const Tensor x = column({1e6, 1e6 + 1, 1e6 + 2.5});
    const Report wrong = check_rules(deviation_with_second(-1), x, {.seed = seed});
    EXPECT_FALSE(wrong.ok()) << wrong.text();
    EXPECT_FALSE(wrong.proven()) << wrong.text();
    const Report right = check_rules(deviation_with_second(1), x, {.seed = seed});
    EXPECT_FALSE(is_red(right.verdict())) << right.text();
    EXPECT_NE(right.only("second-order").verdict(), Verdict::Kink) << right.text();
  }
}

TEST(FromOutside, AWaivedSecondOrderIsNotProven) {
  const Report kink =
      check([](const Tensor& x) { return relu(x); }, {column({0, 1, -1})}).only("second-order");
  EXPECT_EQ(kink.verdict(), Verdict::Kink) << kink.text();
  EXPECT_TRUE(kink.ok());
  EXPECT_FALSE(kink.proven());
  EXPECT_EQ(kink.detectable(), HUGE_VAL);
  EXPECT_THAT(kink.text(), ::testing::HasSubstr("the gradient has a kink or a jump"));
}

/// 2 x, its gradient by pointers.
TEST(FromOutside, AGradientThatIsLinearAndDetachedIsNotSaidToDependOnTheInputs) {
  const Report report =
      check_rules({.forward = [](const Tensor& x) { return x * 2; },
                   .backward = [](const Tensor&, const Tensor& g) { return g.detach() * 2; }},
                  column({1, -2, 3}), {.forward_mode = false});
  EXPECT_THAT(report.only("second-order").text(),
              ::testing::HasSubstr("depends on the incoming gradient but is not attached"));
  EXPECT_THAT(report.text(), ::testing::HasSubstr("mark_once_differentiable()"));
}

TEST(FromOutside, WhereThreeAreEqualAnyOrderIsRight) {
  for (uint64_t seed = 1; seed <= 4; ++seed)
    for (const auto& x : {std::vector<double>{1, 1, 1}, {3, 1, 1, 2, 0, 1}}) {
      const Report report = check([](const Tensor& at) { return Sorted::apply(at); }, {column(x)},
                                  {.order = 1, .forward_mode = false, .seed = seed});
      EXPECT_FALSE(is_red(report.only("reverse").verdict())) << report.text();
    }
  // Entries of their own are judged, however many of them are equal.
  const auto steep = with_slope([](const Tensor& x) { return relu(x); },
                                [](const Tensor& x) { return where(x == 0, 5, (x > 0) * 1.0); });
  EXPECT_TRUE(is_red(check_rules(steep, column({0, 0, 0}), {.order = 1}).verdict()));
}

/// A linear table, which makes an index of a number.
struct Table : Function<Table> {
  static constexpr double kAt[] = {0, 1, 4, 9, 16, 25};
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return looked_up(x, false);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * looked_up(ctx->get_saved_variables()[0], true)};
  }
  static Tensor looked_up(const Tensor& x, bool slope) {
    const Tensor at = x.contiguous();
    Tensor result = empty(x.sizes(), dtype(kFloat64));
    for (int64_t i = 0; i < x.numel(); ++i) {
      const double value = at.const_data_ptr<double>()[i];
      if (std::isnan(value)) std::abort();  // as bad an index is
      const auto k = std::clamp<int64_t>(static_cast<int64_t>(value), 0, 4);
      const double rise = kAt[k + 1] - kAt[k];
      result.data_ptr<double>()[i] =
          slope ? rise : kAt[k] + rise * (value - static_cast<double>(k));
    }
    return result;
  }
};

TEST(FromOutside, AFunctionThatDiesOfNanIsCheckedAllTheSame) {
  const Report report = check([](const Tensor& x) { return Table::apply(x); },
                              {column({0.5, 2.25, 3.75})}, {.order = 1, .forward_mode = false});
  EXPECT_TRUE(report.ok()) << report.text();
}

TEST(FromOutside, AStepBetweenFormulasHidesNoWrongSlope) {
  // HLG's transfer function: its published constants leave a step of 5e-10 at 1/12.
  const auto f = [](const Tensor& x) {
    return where(x <= 1. / 12, sqrt(3 * x), 0.17883277 * log(12 * x - 0.28466892) + 0.55991073);
  };
  const auto slope = [](const Tensor& x) {
    return where(x <= 1. / 12, 0.5 * sqrt(3 / x), 0.17883277 * 12 / (12 * x - 0.28466892));
  };
  const auto report_of = [&](double factor) {
    const auto rules = with_slope(
        f, [=](const Tensor& x) { return where(x == 1. / 12, slope(x) * factor, slope(x)); });
    return check_rules(rules, column({1. / 12, 0.01, 0.9, 0.5}),
                       {.order = 1, .forward_mode = false});
  };
  EXPECT_FALSE(is_red(report_of(1).verdict())) << report_of(1).text();
  for (double factor : {-1.0, 2.0, 1.05}) {
    const Report report = report_of(factor);
    EXPECT_TRUE(!report.ok() || report.detectable() > 0.01) << report.text();
  }
}

/// log(sum(exp)), with a gradient that ends after so many entries.
struct LogSumExp : Function<LogSumExp> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return logsumexp(x, 0);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor y = softmax(ctx->get_saved_variables()[0], 0) * grads[0];
    const int64_t seen = std::min<int64_t>(y.size(0), 4096);
    return {cat({y.narrow(0, 0, seen), y.narrow(0, seen, y.size(0) - seen) * 0}, 0)};
  }
};

TEST(FromOutside, ALongPoolIsNoKink) {
  expect_fail(check([](const Tensor& x) { return LogSumExp::apply(x); },
                    {column({0.5, -1, 0.25, 2, 1})}, {.order = 1, .forward_mode = false}),
              "long", "rows the gradient");
}

TEST(FromOutside, ARecurrenceThatExpandsHasNoSlopeInSuchSteps) {
  const auto chaos = [](const Tensor& a) {
    Tensor h = full({}, 0.3, dtype(kFloat64)), sum = h * 0;
    for (int64_t i = 0; i < a.size(0); ++i) {
      h = sin(5 * h + a.select(0, i));
      sum = sum + h;
    }
    return sum;
  };
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const auto rule = with_slope(chaos, [&](const Tensor& x) {
      const EnableGradGuard recording;
      const Tensor at = x.detach().requires_grad_(true);
      return autograd::grad({chaos(at)}, {at})[0];
    });
    const Report report = check_rules(rule, column({0.1, -0.4, 0.7, 0.2, -0.3}),
                                      {.order = 1, .forward_mode = false, .seed = seed});
    EXPECT_FALSE(is_red(report.verdict())) << report.text();
  }
}

}  // namespace
}  // namespace notape::verify
