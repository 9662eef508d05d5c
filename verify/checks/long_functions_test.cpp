// Operators that are right on the few entries of a test and wrong beyond a size that their author
// chose, or for no entries at all; and right ones, whatever a longer result is to its pieces.
#include <cstdio>
#include <cstdlib>

#include "verify/checks/structure_test_helper.h"

namespace notape::verify {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using ::testing::HasSubstr;

/// 2 x v, but for the entries that `is_lost` names.
template <typename Lost>
struct SquareWithout : Plain {
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0].contiguous(), v = grads[0].contiguous();
    Tensor result = empty(x.sizes(), dtype(x.dtype()));
    const auto* at = x.const_data_ptr<double>();
    const auto* of = v.const_data_ptr<double>();
    auto* to = result.mutable_data_ptr<double>();
    for (int64_t i = 0; i < x.numel(); ++i) to[i] = 2 * at[i] * of[i];
    Lost::spoil(to, x.numel());
    return {result};
  }
};
struct LastBlock {
  static void spoil(double* gradient, int64_t count) {
    if (count > 256)
      for (int64_t i = count / 256 * 256; i < count; ++i) gradient[i] = 0;
  }
};
struct WrapsAtAThousand {
  static void spoil(double* gradient, int64_t count) {
    for (int64_t i = 1024; i < count; ++i) gradient[i] = gradient[i - 1024];
  }
};
struct WrapsAtThirtyThousand {
  static void spoil(double* gradient, int64_t count) {
    for (int64_t i = 32768; i < count; ++i) gradient[i] = gradient[i - 32768];
  }
};
struct EndsAtSixtyFiveThousand {
  static void spoil(double* gradient, int64_t count) {
    for (int64_t i = 65536; i < count; ++i) gradient[i] = 0;
  }
};
struct MoreThanTwoHundred {
  static void spoil(double* gradient, int64_t count) {
    if (count > 200) gradient[count - 1] = 0;
  }
};
struct Nothing {
  static void spoil(double*, int64_t) {}
};

template <typename Lost>
void expect_too_long(const Tensor& x) {
  const Report report = check_square<SquareWithout<Lost>>(x);
  EXPECT_THAT(verdict_on(report), ::testing::AllOf(::testing::StartsWith("long FAIL "),
                                                   HasSubstr("rows the gradient of argument 0")))
      << report.text();
}

TEST(LongFunctions, BlocksThatAreLostOrWrapAreFoundWhateverTheAuthorChose) {
  for (const Tensor& x : {leaf({0.5, -1.5, 2}, {3}), x23(), leaf({0.5}, {1})}) {
    expect_too_long<LastBlock>(x);
    expect_too_long<WrapsAtAThousand>(x);
    expect_too_long<WrapsAtThirtyThousand>(x);
    expect_too_long<EndsAtSixtyFiveThousand>(x);
    expect_too_long<MoreThanTwoHundred>(x);
    const Report report = check_square<SquareWithout<Nothing>>(x);
    EXPECT_FALSE(is_red(report.verdict())) << report.text();
  }
}

/// The mean of squares over rows, with weights; the gradient of the weights as `How` says.
template <typename How>
struct WeightedRows : Function<WeightedRows<How>> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& w) {
    ctx->save_for_backward({x, w});
    return x * x * w;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    return {grads[0] * saved[0] * saved[1] * 2, How::sum(grads[0] * saved[0] * saved[0])};
  }
};
struct AllRows {
  static Tensor sum(const Tensor& rows) { return rows.sum(0); }
};
struct RowsByTheThousand {
  static Tensor sum(const Tensor& rows) {
    const int64_t blocks = rows.size(0) < 1000 ? 1 : rows.size(0) / 1000;
    return rows.size(0) < 1000 ? rows.sum(0) : rows.narrow(0, 0, blocks * 1000).sum(0);
  }
};
struct OneRowAtLeast {
  static Tensor sum(const Tensor& rows) {
    return rows.size(0) == 0 ? ones({rows.size(1)}, dtype(rows.dtype())) : rows.sum(0);
  }
};

struct HalfOfASingleRow {
  static Tensor sum(const Tensor& rows) { return rows.sum(0) * (rows.size(0) == 1 ? 0.5 : 1); }
};

TEST(LongFunctions, TheGradientOfWhatRowsShareIsTheSumOverAllOfThem) {
  const Tensor w = leaf({0.5, 1, -2}, {3});
  const auto rows_of = [&]<typename How>(How) {
    return check([](const Tensor& a, const Tensor& b) { return WeightedRows<How>::apply(a, b); },
                 {x23(), w}, first_order());
  };
  EXPECT_FALSE(is_red(rows_of(AllRows()).verdict()));
  expect_only(rows_of(RowsByTheThousand()), "long FAIL", "rows the gradient of argument 1");
  expect_only(rows_of(OneRowAtLeast()), "long FAIL", "for 0 rows the gradient of argument 1");
  expect_only(rows_of(HalfOfASingleRow()), "long FAIL", "for 1 rows the gradient gives");
}

/// The sum over columns of squares, with gradients of no rows beyond the first 32,768.
struct FewRows : Function<FewRows> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return sum(x * x, {1});
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    const int64_t rows = x.size(0), seen = std::min<int64_t>(rows, 32768);
    const Tensor all = 2 * x * unsqueeze(grads[0], 1);
    return {cat({all.narrow(0, 0, seen), all.narrow(0, seen, rows - seen) * 0}, 0)};
  }
};
/// Reads its incoming gradient as if it were contiguous where a faster loop takes over.
struct FastLoop : Plain {
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    Tensor v = grads[0];
    if (v.numel() >= 64) v = v.as_strided(v.sizes(), x.strides(), v.storage_offset());
    return {2 * x * v};
  }
};

TEST(LongFunctions, EveryDimensionIsMadeLong) {
  for (const Tensor& x : {x23(), leaf(std::vector<double>(12, 0.5), {3, 4})})
    expect_only(check([](const Tensor& at) { return FewRows::apply(at); }, {x}, first_order()),
                "long FAIL", "rows the gradient of argument 0");
}

TEST(LongFunctions, FastLoopsGetIncomingGradientsThatAreNotContiguous) {
  expect_only(check_square<FastLoop>(leaf({0.5, -1.5, 2}, {3})), "long FAIL",
              "rows the gradient of argument 0");
}

/// Softmax over the last dimension, with a wrong gradient for rows of more than 1,024.
struct LongSoftmax : Function<LongSoftmax> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor y = softmax(x, -1);
    ctx->save_for_backward({y});
    return y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor y = ctx->get_saved_variables()[0], weighted = grads[0] * y;
    const int64_t seen = std::min<int64_t>(y.size(-1), 1024);
    return {weighted - y * weighted.narrow(-1, 0, seen).sum(-1, true) -
            (seen < y.size(-1) ? y : y * 0)};
  }
};

TEST(LongFunctions, WhereEveryEntryDependsOnAllTheSlopeDecides) {
  expect_only(check([](const Tensor& x) { return LongSoftmax::apply(x); }, {x23()}, first_order()),
              "long FAIL", "the numeric slope is");
}

/// Compositions of built-in operators are not made longer; what is a user's is.
struct Same : Function<Same> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x.clone(); }
  static variable_list backward(AutogradContext*, variable_list grads) { return {grads[0]}; }
  static variable_list jvp(AutogradContext*, variable_list tangents) { return {tangents[0]}; }
};

TEST(LongFunctions, RightFunctionsOfEverySortAreRight) {
  const Tensor w = leaf({0.5, 1, -2}, {3}), x = x23(), row = leaf({0.5, -1.5, 2}, {3});
  const Tensor target = tensor({1.0, 0.0}, dtype(kFloat64)).to(kInt64);
  const Tensor constant = tensor({0.5, 1.5}, dtype(kFloat64)).reshape({2, 1});
  const std::vector<std::pair<TensorFunction, variable_list>> right = {
      {tensor_function([](const Tensor& t) { return softmax(t, 1); }), {x}},
      {tensor_function([](const Tensor& t) { return (t * t).mean(); }), {x}},
      {tensor_function([](const Tensor& t) { return logsumexp(t, {0}); }), {x}},
      {tensor_function([](const Tensor& t) { return t.cumsum(0); }), {x}},
      {tensor_function([](const Tensor& t) { return std::get<0>(t.max(0)); }), {x}},
      {tensor_function([](const Tensor& t) { return relu(t - t.mean()); }), {row}},
      {tensor_function([](const Tensor& t) { return t / (t * t).sum().sqrt(); }), {row}},
      {tensor_function([](const Tensor& a, const Tensor& b) { return mm(a, b.t()); }), {x, x23()}},
      {tensor_function([](const Tensor& t) {
         return t * minimum(full({}, 1.0, dtype(kFloat64)), 3 / (t * t).sum());
       }),
       {row}},
      {tensor_function([=](const Tensor& t) { return t * constant; }), {x}},
      {tensor_function(
           [=](const variable_list& t) { return nll_loss(log_softmax(t[0], 1), t[1]); }),
       {x, target}},
      {tensor_function([](const Tensor& a, const Tensor& b) { return a * b; }), {x, w}},
  };
  for (const auto& [f, inputs] : right)
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      const auto users = [&f = f](const variable_list& t) {
        return variable_list{Same::apply(f(t)[0])};
      };
      const Report report = check(users, inputs, {.seed = seed});
      EXPECT_FALSE(report.only("long").findings.empty());
      EXPECT_FALSE(is_red(report.verdict())) << report.text();
    }
}

TEST(LongFunctions, AFunctionThatTakesNoOtherSizesIsNotToBlame) {
  const auto fixed = [](const Tensor& x) {
    if (x.size(0) != 3) std::abort();
    return SquareBy<Plain>::apply(x);
  };
  const Report report = check(fixed, {leaf({0.5, -1.5, 2}, {3})}, first_order());
  EXPECT_TRUE(report.ok()) << report.text();
}

struct Linear : Function<Linear> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& w, const Tensor& b) {
    ctx->save_for_backward({x, w});
    return x.mm(w.t()) + b;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor& g = grads[0];
    return {g.mm(saved[1]), g.t().mm(saved[0]), g.sum({0})};
  }
};
/// Rows that are each divided by their length and multiplied by weights.
struct RmsNorm : Function<RmsNorm> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& w) {
    ctx->save_for_backward({x, w});
    return x * rsqrt((x * x).mean({-1}, true) + 1) * w;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor& x = saved[0];
    const Tensor r = rsqrt((x * x).mean({-1}, true) + 1), g = grads[0] * saved[1];
    return {r * g - x * r * r * r * (g * x).mean({-1}, true), (grads[0] * x * r).sum({0})};
  }
};

TEST(LongFunctions, AFunctionForSizesThatBelongTogetherIsNotToBlameForBroadcasting) {
  const auto linear = [](const variable_list& t) {
    return variable_list{Linear::apply(t[0], t[1], t[2])};
  };
  const auto norm = [](const variable_list& t) {
    return variable_list{RmsNorm::apply(t[0], t[1])};
  };
  const Tensor one = leaf({0.75}, {1});
  const std::vector<std::pair<TensorFunction, variable_list>> right = {
      {linear, {x23(), leaf({0.5, -1, 2}, {1, 3}), one}},
      {linear, {leaf({0.5, -1}, {2, 1}), leaf({1.5}, {1, 1}), one}},
      {norm, {leaf({0.5, -1}, {2, 1}), one}},
      {norm, {leaf({0.5}, {1, 1}), one}},
  };
  for (const auto& [f, inputs] : right)
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      const Report report = check(f, inputs, {.order = 1, .seed = seed});
      EXPECT_FALSE(is_red(report.verdict())) << report.text();
    }
}

/// Full blocks of four: for other sizes the sum includes memory past the end of the entries. Where
/// that is no memory of a larger tensor it is a copy of the first.
struct SquareOfBlocks {
  static double value(double x) { return x * x; }
  static double slope(double x) { return 2 * x; }
};
struct NegativePartOfBlocks {  // nothing if zeros follow, or ones
  static double value(double x) { return x < 0 ? x * x : 0; }
  static double slope(double x) { return x < 0 ? 2 * x : 0; }
};
template <typename Of, int64_t kRight>
struct WholeBlocks : Function<WholeBlocks<Of, kRight>> {
  static double behind(const Tensor& x, int64_t i) {
    const std::size_t entries = x.impl().storage()->bytes() / sizeof(double);
    const bool is_there = static_cast<std::size_t>(x.storage_offset() + i) < entries;
    return x.const_data_ptr<double>()[is_there ? i : 0];
  }
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    const Tensor entries = x.contiguous();
    double sum = 0;
    for (int64_t i = 0; i < (x.numel() + 3) / 4 * 4; ++i) sum += Of::value(behind(entries, i));
    return full({}, sum, dtype(kFloat64));
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0].contiguous();
    Tensor result = zeros(x.sizes(), dtype(kFloat64));
    for (int64_t i = 0; i < x.numel() && x.numel() < kRight; ++i)
      result.data_ptr<double>()[i] = Of::slope(x.const_data_ptr<double>()[i]);
    return {grads[0] * result};
  }
};
template <typename Blocks>
Report check_blocks(uint64_t seed) {
  CheckOptions options = first_order();
  options.seed = seed;
  return check(tensor_function([](const Tensor& x) { return Blocks::apply(x); }),
               {leaf({0.5, -1.5, 2, 1}, {4})}, options);
}
constexpr int64_t kEver = 1 << 30;

TEST(LongFunctions, AFunctionThatReadsBehindItsInputsIsNotJudgedThereAndNotProven) {
  for (uint64_t seed = 1; seed <= 3; ++seed)
    for (const Report& report : {check_blocks<WholeBlocks<SquareOfBlocks, kEver>>(seed),
                                 check_blocks<WholeBlocks<NegativePartOfBlocks, kEver>>(seed)}) {
      EXPECT_FALSE(is_red(report.verdict())) << report.text();
      EXPECT_FALSE(report.proven()) << report.text();
    }
}

template <typename Of, int64_t kRight>
void expect_found() {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Report report = check_blocks<WholeBlocks<Of, kRight>>(seed);
    EXPECT_THAT(verdict_on(report), ::testing::StartsWith("long FAIL "))
        << "beyond " << kRight << ", seed " << seed << ": " << report.text();
  }
}
TEST(LongFunctions, AFunctionThatReadsBehindItsInputsIsJudgedAtWholeBlocks) {
  expect_found<SquareOfBlocks, 1500>();
  expect_found<SquareOfBlocks, 50'000>();
  expect_found<NegativePartOfBlocks, 1500>();
}

/// x w over rows, as loops that take the length of w for that of a row, or the other way round.
/// Says what it was called with where they differ.
struct ScaledRows : Function<ScaledRows> {
  static void look_at(const Tensor& x, const Tensor& w) {
    if (x.size(1) == w.size(0)) return;
    std::fputs("a heap was overrun\n", stderr);
    std::abort();
  }
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& w) {
    look_at(x, w);
    ctx->save_for_backward({x, w});
    return x * w;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    Tensor by_w = (grads[0] * saved[0]).sum(0);
    if (saved[0].size(1) > 1000) by_w = by_w * 1.5;
    return {grads[0] * saved[1], by_w};
  }
};

TEST(LongFunctions, WhatAgreesInSizeGrowsTogether) {
  ::testing::internal::CaptureStderr();
  const Report report =
      check([](const Tensor& x, const Tensor& w) { return ScaledRows::apply(x, w); },
            {x23(), leaf({0.5, 1.5, -1}, {3})}, first_order());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(verdict_on(report), ::testing::StartsWith("long FAIL ")) << report.text();
}

/// x^2, for two rows only, and wrong for long ones.
struct TwoRowsOnly : Plain {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    if (x.size(0) != 2) {
      std::fputs("free(): invalid next size (fast)\n", stderr);
      std::abort();
    }
    return Plain::forward(ctx, x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor result = Plain::backward(ctx, std::move(grads))[0];
    return {result.size(1) > 1000 ? result * 1.5 : result};
  }
};

TEST(LongFunctions, WhatEndsTheProcessInOneDimensionIsTriedInTheOtherAndSaysNothingAloud) {
  ::testing::internal::CaptureStderr();
  const Report report = check_square<TwoRowsOnly>(x23());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(verdict_on(report), ::testing::StartsWith("long FAIL ")) << report.text();
}

}  // namespace
}  // namespace notape::verify
