// Operators of version 2 of the C interface, made by operator.h: what right ones come to, and how
// wrong ones are found.
#include <gmock/gmock.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "verify/plugin/testing/foreign_operators.h"

namespace notape::verify {
namespace {

using foreign::alarms_in, foreign::certificates_of, foreign::checks_run, foreign::declared,
    foreign::first_complaint, foreign::SegmentSum;
namespace np = notape::plugin;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ForeignOperator, WholeInputsAreConstantsAndEverythingIsJudged) {
  EXPECT_THAT(alarms_in(declared<SegmentSum>()), IsEmpty());
  EXPECT_THAT(checks_run(declared<SegmentSum>()),
              AllOf(Contains("reverse"), Contains("reference"), Contains("exact-slope"),
                    Contains("layouts"), Contains("repeat")));
}

TEST(ForeignOperator, WholeInputsLieInTheirRangeAndAscendOrDiffer) {
  const struct {
    int32_t flags;
    bool ascends, differs;
  } cases[] = {{0, false, false},
               {NOTAPE_ASCENDING, true, false},
               {NOTAPE_DISTINCT, false, true},
               {NOTAPE_ASCENDING | NOTAPE_DISTINCT, true, true}};
  for (const auto& one : cases) {
    notape_operator2 foreign = declared<SegmentSum>();
    notape_input inputs[] = {foreign.inputs[0], foreign.inputs[1]};
    inputs[1].low = -2;
    inputs[1].high = 7;
    inputs[1].flags = one.flags;
    foreign.inputs = inputs;
    const OpSpec spec = row_of(foreign);
    for (uint64_t seed = 0; seed < 200; ++seed) {
      ChoiceDraw draw{rc::Random(seed)};
      const Numbers drawn = *spec.draw(draw).arguments[1].fixed;
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        EXPECT_TRUE(drawn[i] >= -2 && drawn[i] <= 7 && drawn[i] == std::floor(drawn[i]));
        if (one.ascends && i > 0) {
          EXPECT_LE(drawn[i - 1], drawn[i]);
        }
        for (std::size_t k = 0; one.differs && k < i; ++k) EXPECT_NE(drawn[i], drawn[k]);
      }
    }
  }
}

/// (sum, product) along an axis of a matrix; products leave their factors' mask for backward.
struct SumAndProduct {
  static np::About about() {
    return np::About("sum_and_product")
        .ways(3)
        .outputs(2)
        .real("x", 0.5, 2)
        .real("scale", -1, 1)
        .axis("axis", -2, 1)
        .number("power", 1, 3)
        .saves("products");
  }
  static int64_t axis_of(int64_t axis) { return (axis + 2) % 2; }
  static void shape(np::Case& one) {
    const int64_t sizes[] = {2, 1 + one.way()};
    const int64_t left = sizes[1 - axis_of(one.whole(0))];
    one.input(0) = {sizes[0], sizes[1]};
    one.input(1) = {};
    one.output(0) = one.output(1) = one.saved(0) = {left};
  }
  template <typename T>
  static T at(const np::View<const T>& x, int64_t axis, int64_t rest, int64_t i) {
    return axis == 0 ? x(i, rest) : x(rest, i);
  }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    using std::pow;
    const int64_t axis = axis_of(call.whole(0));
    const auto x = call.input(0);
    for (int64_t rest = 0; rest < call.output(0).count(); ++rest) {
      T sum = 0, product = 1;
      for (int64_t i = 0; i < x.size(static_cast<int>(axis)); ++i) {
        sum += pow(at(x, axis, rest, i), T(call.number(1)));
        product *= at(x, axis, rest, i);
      }
      call.output(0)[rest] = sum * call.input(1)[0];
      call.output(1)[rest] = call.saved(0)[rest] = product;
    }
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    const int64_t axis = axis_of(call.whole(0));
    const auto x = call.input(0);
    T scale = 0;
    for (int64_t rest = 0; rest < call.output(0).count(); ++rest)
      for (int64_t i = 0; i < x.size(static_cast<int>(axis)); ++i) {
        const T entry = at(x, axis, rest, i), n = T(call.number(1));
        const T sum = call.grad_output(0) ? call.grad_output(0)[rest] : T(0);
        const T product = call.grad_output(1) ? call.grad_output(1)[rest] : T(0);
        if (call.grad_input(0))
          (axis == 0 ? call.grad_input(0)(i, rest) : call.grad_input(0)(rest, i)) =
              sum * n * std::pow(entry, n - 1) * call.input(1)[0] +
              product * call.saved(0)[rest] / entry;
        scale += sum * std::pow(entry, n);
      }
    if (call.grad_input(1)) call.grad_input(1)[0] = scale;
  }
};

TEST(ForeignOperator, SeveralOutputsAttributesSavedBuffersAndDomainsArePlayedTogether) {
  EXPECT_THAT(alarms_in(declared<SumAndProduct>()), IsEmpty());
}

TEST(ForeignOperator, ACaseNamesItsAttributesAndTheOutputThatGoesNowhere) {
  const OpSpec spec = row_of(declared<SumAndProduct>());
  std::set<std::string> words;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    ChoiceDraw draw{rc::Random(seed)};
    const std::string label = spec.draw(draw).label;
    EXPECT_THAT(label, AllOf(HasSubstr("axis="), HasSubstr("power=")));
    if (const auto at = label.find("output "); at != label.npos) words.insert(label.substr(at));
  }
  EXPECT_THAT(words, ElementsAre("output 0 goes nowhere", "output 1 goes nowhere"));
}

/// Reads the gradient of an output that nobody used, which it said may be missing.
struct ReadsMissing : SumAndProduct {
  static np::About about() { return SumAndProduct::about().missing_gradients(); }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    if (!call.grad_output(0) || !call.grad_output(1)) throw std::runtime_error("a null gradient");
    SumAndProduct::backward(call);
  }
};
/// The same, which is fine without that word: zeros come.
struct ReadsZeros : ReadsMissing {
  static np::About about() { return SumAndProduct::about(); }
};
struct TakesMissing : SumAndProduct {
  static np::About about() { return SumAndProduct::about().missing_gradients(); }
};

TEST(ForeignOperator, AnOutputWithoutGradientIsMissingForThoseWhoSaySoAndZeroForTheOthers) {
  EXPECT_THAT(first_complaint(declared<ReadsMissing>()), HasSubstr("a null gradient"));
  EXPECT_THAT(alarms_in(declared<ReadsZeros>()), IsEmpty());
  EXPECT_THAT(alarms_in(declared<TakesMissing>()), IsEmpty());
}

/// The second output's share of the gradient is lost.
struct LosesAnOutput : SumAndProduct {
  template <typename T>
  static void backward(const np::Call<T>& call) {
    SumAndProduct::backward(call);
    const int64_t axis = axis_of(call.whole(0));
    const auto x = call.input(0);
    for (int64_t rest = 0; call.grad_input(0) && rest < call.output(0).count(); ++rest)
      for (int64_t i = 0; i < x.size(static_cast<int>(axis)); ++i)
        (axis == 0 ? call.grad_input(0)(i, rest) : call.grad_input(0)(rest, i)) -=
            call.grad_output(1)[rest] * call.saved(0)[rest] / at(x, axis, rest, i);
  }
};

TEST(ForeignOperator, ALostOutputFails) {
  EXPECT_THAT(alarms_in(declared<LosesAnOutput>()),
              AllOf(Contains("reverse FAIL"), Contains("exact-slope FAIL")));
}

/// relu whose derivative at 0 is to be chosen; it declares another convention than it has.
struct Relu {
  static inline double at_zero = 0;
  static np::About about() { return np::About("relu").ways(2).real("x", -3, 3, {np::kink(0)}); }
  static void shape(np::Case& one) { one.input(0) = one.output(0) = {1 + one.way()}; }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.output(0)[i] = call.input(0)[i] > 0 ? call.input(0)[i] : T(0);
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i) {
      const T x = call.input(0)[i];
      const T slope = x > 0 ? T(1) : x < 0 ? T(0) : T(at_zero);
      call.grad_input(0)[i] = slope * call.grad_output(0)[i];
    }
  }
};

std::vector<std::string> alarms_of_relu(const notape_kink& kink, double at_zero) {
  Relu::at_zero = at_zero;
  notape_operator2 foreign = declared<Relu>();
  notape_input input = foreign.inputs[0];
  input.kinks = &kink;
  foreign.inputs = &input;
  return alarms_in(foreign);
}

TEST(ForeignOperator, OnADeclaredKinkTheDerivativeIsWhatItsConventionSays) {
  const std::vector<std::string> wrong = {"convention FAIL"};
  const struct {
    notape_kink kink;
    double right, wrong;
  } cases[] = {{np::kink(0), 0.3, 1.5},
               {np::kink(0, NOTAPE_KINK_BELOW), 0, 1},
               {np::kink(0, NOTAPE_KINK_ABOVE), 1, 0.5},
               {np::kink(0, NOTAPE_KINK_MEAN), 0.5, 0},
               {np::kink(0, NOTAPE_KINK_LEAST), 0, 0.5},
               {np::kink(0, 0, 0.25, 1), 0.25, 0.5}};
  for (const auto& one : cases) {
    EXPECT_THAT(alarms_of_relu(one.kink, one.right), IsEmpty()) << one.kink.convention;
    EXPECT_EQ(alarms_of_relu(one.kink, one.wrong), wrong) << one.kink.convention;
  }
  EXPECT_EQ(alarms_of_relu(np::kink(0), 1e6), wrong);
  // Slopes that are not the function's.
  EXPECT_EQ(alarms_of_relu(np::kink(0, 0.5, 0.5, 1), 0.5), wrong);
}

/// tanh-GELU as people write it; 1 + tanh is a staircase at -8.
struct TanhGelu {
  static inline double constant = 0.044715;
  static np::About about() { return np::About("tanh_gelu").ways(3).real("x", -8, 8); }
  static void shape(np::Case& one) { one.input(0) = one.output(0) = {1 + one.way()}; }
  template <typename T>
  static T inner(T x) {
    return T(0.7978845608028654L) * (x + T(0.044715L) * x * x * x);
  }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    using std::tanh;
    for (int64_t i = 0; i < call.input(0).count(); ++i) {
      const T x = call.input(0)[i];
      call.output(0)[i] = T(0.5) * x * (T(1) + tanh(inner(x)));
    }
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i) {
      const T x = call.input(0)[i], t = std::tanh(inner(x));
      const T slope = T(0.7978845608028654) * (T(1) + T(3 * constant) * x * x);
      call.grad_input(0)[i] =
          (T(0.5) * (T(1) + t) + T(0.5) * x * (T(1) - t * t) * slope) * call.grad_output(0)[i];
    }
  }
  template <typename T>
  static void jvp(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i) {
      const T x = call.input(0)[i], t = std::tanh(inner(x));
      const T slope = T(0.7978845608028654) * (T(1) + T(3 * constant) * x * x);
      const T derivative = T(0.5) * (T(1) + t) + T(0.5) * x * (T(1) - t * t) * slope;
      call.output_tangent(0)[i] = call.tangent(0) ? derivative * call.tangent(0)[i] : T(0);
    }
  }
};

TEST(ForeignOperator, TheExactSlopeSeesWhatDifferencesCannot) {
  TanhGelu::constant = 0.044715;
  const auto only_exact = [](const std::vector<Certificate>& all, const char* check) {
    for (const Certificate& one : all)
      if (one.check == std::string_view(check) && one.dtype == kFloat64) return one.verdict;
    return Verdict::Vacuous;
  };
  auto all = certificates_of(declared<TanhGelu>());
  for (const char* check : {"reference", "exact-slope", "forward-mode"})
    EXPECT_EQ(only_exact(all, check), Verdict::Pass) << check;
  TanhGelu::constant = 0.044715 * (1 + 1e-11);
  all = certificates_of(declared<TanhGelu>());
  EXPECT_EQ(only_exact(all, "exact-slope"), Verdict::Fail);
  EXPECT_NE(only_exact(all, "reverse"), Verdict::Fail);
  TanhGelu::constant = 0.044715;
}

/// Its float64 form is not what its reference says.
struct WrongValue : SegmentSum {
  static np::About about() { return SegmentSum::about(); }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    SegmentSum::forward(call);
    if constexpr (std::is_same_v<T, double>)
      for (int s = 0; s < 3; ++s) call.output(0)[s] += T(1e-9);
  }
};

TEST(ForeignOperator, AValueIsJudgedByTheReference) {
  EXPECT_THAT(alarms_in(declared<WrongValue>()), ElementsAre("reference FAIL"));
}

}  // namespace
}  // namespace notape::verify
