// Operators that are right for row-major incoming gradients of one result, and wrong otherwise;
// that leave modes changed; that count a tie several times, or let masked entries through. Beside
// each a right one of the same kind.
#include "ops/parallel.h"
#include "verify/checks/structure_test_helper.h"

namespace notape::verify {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using ::testing::HasSubstr;

// ---- shapes and layouts of gradients ----

struct OneRowTooMany : Plain {
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {Plain::backward(ctx, std::move(grads))[0].unsqueeze(0)};
  }
};
struct NotSummed : Function<NotSummed> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& w) {
    ctx->save_for_backward({x, w});
    return x * w;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    return {grads[0] * saved[1], grads[0] * saved[0]};
  }
};
struct Summed : Function<Summed> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& w) {
    ctx->save_for_backward({x, w});
    return x * w;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    return {grads[0] * saved[1], (grads[0] * saved[0]).sum(0)};
  }
};

TEST(IncomingStructure, AGradientOfAnotherShapeFailsNamingBoth) {
  const Tensor x = leaf({0.5, -1, 2}, {3});
  expect_only(check_square<OneRowTooMany>(x), "shapes FAIL",
              "an invalid gradient at index 0 - got [1, 3] but expected shape compatible with [3]");
  const Tensor w = leaf({0.5, -1, 2}, {3});
  expect_only(check([](const Tensor& a, const Tensor& b) { return NotSummed::apply(a, b); },
                    {x23(), w}, first_order()),
              "shapes FAIL",
              "gradient at index 1 - got [2, 3] but expected shape compatible with [3]");
  expect_right(
      tensor_function([](const Tensor& a, const Tensor& b) { return Summed::apply(a, b); }),
      {x23(), w});
}

/// A shortcut for one incoming gradient.
template <int kNumber>
struct WrongFor : Plain {
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor slope = ctx->get_saved_variables()[0] * 2;
    if ((grads[0] == kNumber).all().item<bool>()) return {slope * 2};
    return {grads[0] * slope};
  }
};

TEST(IncomingStructure, ABackwardThatIsWrongForOnesOrForZerosIsFound) {
  for (const auto& x : {x23(), leaf({0.7}, {})}) {
    EXPECT_THAT(verdict_on(check_square<WrongFor<1>>(x).only("incoming")), HasSubstr("for ones"));
    EXPECT_THAT(verdict_on(check_square<WrongFor<0>>(x).only("incoming")),
                HasSubstr("for no incoming one"));
  }
}

/// Incoming gradients beyond a bound, or below one, are not what they are.
template <int kMost, int kOneOver>
struct WrongBeyond : Plain {
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor small = grads[0].abs() < 1.0 / kOneOver;
    return {masked_fill(grads[0].clamp(-kMost, kMost), small, 0) * ctx->get_saved_variables()[0] *
            2};
  }
};

TEST(IncomingStructure, ABackwardThatIsWrongForLargeOrSmallGradientsIsFound) {
  EXPECT_THAT(verdict_on(check_square<WrongBeyond<5, 1 << 30>>().only("incoming")),
              HasSubstr("for an incoming one times 2^24"));
  EXPECT_THAT(verdict_on(check_square<WrongBeyond<1'000'000, 1 << 30>>().only("incoming")),
              HasSubstr("for an incoming one times 2^24"));
  EXPECT_THAT(verdict_on(check_square<WrongBeyond<1 << 30, 1'000'000>>().only("incoming")),
              HasSubstr("for an incoming one times 2^-24"));
  expect_right(tensor_function([](const Tensor& x) { return SquareBy<Plain>::apply(x); }), {x23()});
}

struct Float32Gradient : Plain {
  static variable_list backward(AutogradContext*, variable_list grads) {
    return {grads[0].to(kFloat32) * 2};
  }
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 2; }
};

TEST(IncomingStructure, AGradientOfFewerDigitsIsNamed) {
  EXPECT_THAT(verdict_on(check_square<Float32Gradient>()),
              HasSubstr("a float32 gradient for its float64 input 0"));
}

/// 2 x v over memory, as if it were row-major.
template <bool kAsksForRowMajor>
struct RawIncoming : Plain {
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0].contiguous();
    const Tensor v = kAsksForRowMajor ? grads[0].contiguous() : grads[0];
    Tensor result = empty(x.sizes(), dtype(x.dtype()));
    for (int64_t i = 0; i < x.numel(); ++i)
      result.data_ptr<double>()[i] = 2 * x.data_ptr<double>()[i] * v.data_ptr<double>()[i];
    return {result};
  }
};

TEST(IncomingStructure, ABackwardThatTakesEveryIncomingGradientForRowMajorIsFound) {
  expect_only(check_square<RawIncoming<false>>(), "strides FAIL",
              "a gradient depends on the memory layout of the incoming one");
  expect_right(
      tensor_function([](const Tensor& x) { return SquareBy<RawIncoming<true>>::apply(x); }),
      {x23()});
}

/// The derivative of 2 x v, by hand, as if w were row-major.
template <bool kAsksForRowMajor>
struct RawSecond : Function<RawSecond<kAsksForRowMajor>> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& v) {
    ctx->save_for_backward({x, v});
    return x * v * 2;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor w = kAsksForRowMajor ? grads[0].contiguous() : grads[0];
    const auto times = [&](const Tensor& other) {
      const Tensor dense = other.contiguous();
      Tensor result = empty(dense.sizes(), dtype(dense.dtype()));
      for (int64_t i = 0; i < dense.numel(); ++i)
        result.data_ptr<double>()[i] = 2 * w.data_ptr<double>()[i] * dense.data_ptr<double>()[i];
      return result;
    };
    return {times(saved[1]), times(saved[0])};
  }
};
template <bool kAsksForRowMajor>
struct WithRawSecond : Plain {
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {RawSecond<kAsksForRowMajor>::apply(ctx->get_saved_variables()[0], grads[0])};
  }
};

TEST(IncomingStructure, LayoutsMatterAtTheSecondOrderToo) {
  const CheckOptions options{.order = 2, .forward_mode = false};
  expect_only(check_square<WithRawSecond<false>>(x23(), options), "strides FAIL",
              "a gradient depends on the memory layout of the second incoming one");
  EXPECT_FALSE(is_red(check_square<WithRawSecond<true>>(x23(), options).verdict()));
}

/// Adds one number after the other.
Tensor sum_in_turn(const Tensor& x) {
  double total = 0;
  const Tensor dense = x.contiguous();
  for (int64_t i = 0; i < dense.numel(); ++i) total += dense.const_data_ptr<double>()[i];
  return full({}, total, dense.options());
}
/// w x of a number w, whose gradient is a sum of as many terms as x has.
struct Scaled : Function<Scaled> {
  static Tensor forward(AutogradContext* ctx, const Tensor& w, const Tensor& x) {
    ctx->save_for_backward({w, x});
    return w * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor terms = grads[0] * saved[1];
    return {GradMode::is_enabled() ? sum(terms) : sum_in_turn(terms), grads[0] * saved[0]};
  }
};

TEST(IncomingStructure, SumsOfManyTermsAreRoundedManyTimes) {
  // Of one sign and size: each addition is rounded the same way.
  const Tensor w = leaf({0.5}, {}), x = full({2048}, 7.9998, dtype(kFloat64)).requires_grad_(true);
  expect_right(
      tensor_function([](const Tensor& a, const Tensor& b) { return Scaled::apply(a, b); }),
      {w, x});
}

TEST(IncomingStructure, AnUnsharedIncomingGradientIsHandedOverAsItIs) {
  static std::vector<int64_t> strides;
  struct Sees : Plain {
    static variable_list backward(AutogradContext* ctx, variable_list grads) {
      strides = grads[0].strides().vec();
      return Plain::backward(ctx, std::move(grads));
    }
  };
  const Tensor x = x23();
  SquareBy<Sees>::apply(x).sum().backward();
  EXPECT_THAT(strides, ::testing::ElementsAre(0, 0));
  exp(SquareBy<Sees>::apply(x).t()).sum().backward();
  EXPECT_THAT(strides, ::testing::ElementsAre(1, 2));
  // Somebody else can see this one.
  const Tensor shared = ones({3, 2}, dtype(kFloat64));
  SquareBy<Sees>::apply(x).backward(shared.t());
  EXPECT_THAT(strides, ::testing::ElementsAre(3, 1));
}

// ---- several results ----

template <bool kAllowsNone>
struct SinCos : Function<SinCos<kAllowsNone>> {
  static variable_list forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    ctx->set_materialize_grads(false);
    return {sin(x), cos(x)};
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    if (!kAllowsNone && grads[0].defined() && !grads[1].defined()) return {grads[0] * cos(x) * 2};
    Tensor sum = zeros_like(x);
    if (grads[0].defined()) sum = sum + grads[0] * cos(x);
    if (grads[1].defined()) sum = sum - grads[1] * sin(x);
    return {sum};
  }
};

TEST(IncomingStructure, AResultWithoutGradientIsAsGoodAsOneWithZeros) {
  expect_only(
      check([](const Tensor& x) { return SinCos<false>::apply(x); }, {x23()}, first_order()),
      "results FAIL", "when result 1 gets no gradient");
  expect_right(tensor_function([](const Tensor& x) { return SinCos<true>::apply(x); }), {x23()});
}

// ---- modes ----

struct LeavesDeterministic : Plain {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    set_deterministic(true);
    return Plain::forward(ctx, x);
  }
};
struct LeavesOneThread : Plain {
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    set_num_threads(1);
    return Plain::backward(ctx, std::move(grads));
  }
};
struct Reseeds : Plain {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    manual_seed(7);
    return Plain::forward(ctx, x);
  }
};
struct Restores : Plain {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const DeterministicGuard deterministic;
    const Generator before = default_generator().clone();
    manual_seed(7);
    default_generator().copy_state(before);
    return Plain::forward(ctx, x);
  }
};

TEST(IncomingStructure, ModesThatAreLeftChangedAreNamed) {
  const int threads = get_num_threads();
  expect_only(check_square<LeavesDeterministic>(), "modes FAIL",
              "a call changes deterministic mode");
  expect_only(check_square<LeavesOneThread>(), "modes FAIL",
              "backward changes the number of threads of operations");
  expect_only(check_square<Reseeds>(), "modes FAIL", "the state of the thread's random numbers");
  expect_right(tensor_function([](const Tensor& x) { return SquareBy<Restores>::apply(x); }),
               {x23()});
  set_deterministic(false);
  set_num_threads(threads);
}

// ---- ties and masks ----

template <bool kShares>
struct Largest : Function<Largest<kShares>> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor y = std::get<0>(x.max(-1, true));
    ctx->save_for_backward({x, y});
    return y.squeeze(-1);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor mask = (saved[0] == saved[1]).to(saved[0].dtype());
    const Tensor share = kShares ? mask / mask.sum(-1, true) : mask;
    return {grads[0].unsqueeze(-1) * share};
  }
};

TEST(IncomingStructure, TiedEntriesAreJudgedTogether) {
  for (const Tensor& x : {leaf({1, 1, 1}, {3}), leaf({1, 2, 2, 2, 0, 1}, {2, 3}), x23()}) {
    const Report report =
        check([](const Tensor& t) { return Largest<false>::apply(t); }, {x}, first_order());
    EXPECT_THAT(verdict_on(report), ::testing::StartsWith("ties FAIL ")) << report.text();
    expect_right(tensor_function([](const Tensor& t) { return Largest<true>::apply(t); }), {x});
    expect_right(tensor_function([](const Tensor& t) { return std::get<0>(t.max(-1)); }), {x});
  }
}

struct TripledSquare : Plain {
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {Plain::backward(ctx, std::move(grads))[0] * 1.5};
  }
};

TEST(IncomingStructure, TiesOfARuleThatIsWrongWithoutThemAreNotNamed) {
  expect_only(check_square<TripledSquare>(leaf({1, 1, 1}, {3})), "reverse FAIL",
              "the gradient gives");
}

/// sum over i of m_i x_i w, with m = (1, 0, 1).
template <bool kMultiplies>
struct MaskedDot : Function<MaskedDot<kMultiplies>> {
  static Tensor masked(const Tensor& x) {
    const Tensor keep = tensor({1.0, 0.0, 1.0}) > 0.5;
    return where(keep, x, zeros_like(x));
  }
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& w) {
    ctx->save_for_backward({x, w});
    return masked(x).sum() * w;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor mask = tensor({1.0, 0.0, 1.0}, dtype(kFloat64)).to(saved[0].dtype());
    const Tensor sum = kMultiplies ? (saved[0] * mask).sum() : masked(saved[0]).sum();
    return {mask * (grads[0] * saved[1]), grads[0] * sum};
  }
};

TEST(IncomingStructure, ANanThatIsMaskedOutReachesNoGradient) {
  const variable_list x{leaf({0.5, 1, 2}, {3}), leaf({1.5}, {})};
  expect_only(check([](const Tensor& a, const Tensor& b) { return MaskedDot<true>::apply(a, b); },
                    x, first_order()),
              "masked FAIL", "a NaN in argument 0 at [1], on which no result depends");
  expect_right(tensor_function(
                   [](const Tensor& a, const Tensor& b) { return MaskedDot<false>::apply(a, b); }),
               x);
}

// ---- what check() says before it begins ----

TEST(IncomingStructure, AnInputWithoutGradIsToldInTheNameOfWhoWasCalled) {
  const Tensor x = tensor({1.0, 2.0}, dtype(kFloat64));
  const auto said = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const ValueError& error) {
      return error.what();
    }
    return "nothing";
  };
  const auto f = [](const Tensor& t) { return t * t; };
  EXPECT_THAT(said([&] { check(f, {x}, {.name = "square"}); }),
              ::testing::AllOf(HasSubstr("check: none of the inputs of square requires grad"),
                               ::testing::Not(HasSubstr("gradcheck"))));
  EXPECT_THAT(said([&] { gradcheck(f, {x}); }),
              HasSubstr("gradcheck expects at least one input tensor to require gradient"));
}

}  // namespace
}  // namespace notape::verify
