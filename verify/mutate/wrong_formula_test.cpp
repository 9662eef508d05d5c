// Wrong formulas.
#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

/// y = tanh(x) whose rule is `rule`, for both modes.
template <typename Rule>
OpSpec tanh_with(Rule rule) {
  return unary_mutant(
      [=](const variable_list& x) {
        return with_derivative(derivative("Mutant", elementwise(rule)), plain_tanh, x[0]);
      },
      plain_tanh);
}

std::vector<std::string> reverse_fails() { return {"reverse FAIL"}; }

TEST(FormulaMutants, RightTanhRaisesNoAlarm) {
  const auto right =
      tanh_with([](const Tensor& grad, const Output& y) { return grad * (1 - square(y)); });
  EXPECT_EQ(alarms(verify_operator(right)), std::vector<std::string>());
}

TEST(FormulaMutants, WrongSignIsCaughtByReverse) {
  const auto mutant =
      tanh_with([](const Tensor& grad, const Output& y) { return grad * (square(y) - 1); });
  EXPECT_EQ(alarms(verify_operator(mutant)), reverse_fails());
}

/// y = x^2 with dy/dx = factor x.
OpSpec square_with(double factor) {
  constexpr auto plain_square = []<typename T>(const PlainList<T>& x) {
    return plain_map([](T a) { return a * a; }, x[0]);
  };
  const auto rule = [](const Tensor& grad, const Input<0>& x, const double& by) {
    return grad * x * by;
  };
  return unary_mutant(
      [=](const variable_list& x) {
        const Operation op("mutant", SourceLocation::current());
        return record(derivative("Mutant", elementwise(rule)), op, right_value(plain_square, x),
                      factor, x[0]);
      },
      plain_square);
}

TEST(FormulaMutants, WrongSignAndHalfTheSlopeAreCaughtIn16Bits) {
  for (ScalarType type : {kFloat16, kBFloat16}) {
    const Options options{.dtypes = {type}};
    EXPECT_EQ(alarms(verify_operator(square_with(2), options)), std::vector<std::string>());
    EXPECT_EQ(alarms(verify_operator(square_with(-2), options)), reverse_fails());
    EXPECT_EQ(alarms(verify_operator(square_with(1), options)), reverse_fails());
  }
}

TEST(FormulaMutants, MissingSquareIsCaughtByReverse) {
  const auto mutant = tanh_with([](const Tensor& grad, const Output& y) { return grad * (1 - y); });
  EXPECT_EQ(alarms(verify_operator(mutant)), reverse_fails());
}

TEST(FormulaMutants, InputWhereTheOutputIsMeantIsCaughtByReverse) {
  const auto mutant =
      tanh_with([](const Tensor& grad, const Input<0>& x) { return grad * (1 - square(x)); });
  EXPECT_EQ(alarms(verify_operator(mutant)), reverse_fails());
}

TEST(FormulaMutants, FactorWrongInTheSeventhDigitIsCaughtInBothDtypes) {
  const auto mutant = tanh_with(
      [](const Tensor& grad, const Output& y) { return grad * (1 - square(y)) * 1.0000003; });
  const auto certificates = verify_operator(mutant, {.dtypes = {kFloat64}});
  EXPECT_EQ(alarms(certificates), reverse_fails());
}

TEST(FormulaMutants, ErrorOfAMillionthIsCaughtInFloat32) {
  const auto mutant = tanh_with(
      [](const Tensor& grad, const Output& y) { return grad * (1 - square(y)) * 1.00001; });
  EXPECT_EQ(alarms(verify_operator(mutant, {.dtypes = {kFloat32}})), reverse_fails());
}

TEST(FormulaMutants, ErrorOfOnePartInTenToTheTwelfthIsCaughtInFloat64) {
  const auto mutant = tanh_with(
      [](const Tensor& grad, const Output& y) { return grad * (1 - square(y)) * (1 + 1e-12); });
  EXPECT_EQ(alarms(verify_operator(mutant, {.dtypes = {kFloat64}})), reverse_fails());
}

TEST(FormulaMutants, IgnoredIncomingGradientIsCaughtByReverse) {
  const auto mutant = unary_mutant(
      [=](const variable_list& x) {
        return with_derivative(
            derivative("Mutant", rule([](const Tensor& grad,
                                         const Output& y) { return grad * 0 + (1 - square(y)); },
                                      [](const Tensor& tangent, const Output& y) {
                                        return tangent * (1 - square(y));
                                      })),
            plain_tanh, x[0]);
      },
      plain_tanh);
  const auto found = alarms(verify_operator(mutant));
  EXPECT_NE(std::find(found.begin(), found.end(), "reverse FAIL"), found.end());
}

TEST(FormulaMutants, Float32ArithmeticInAFloat64RuleIsCaughtInFloat64) {
  const auto mutant = tanh_with([](const Tensor& grad, const Output& y) {
    return (grad.to(kFloat32) * (1 - square(y.to(kFloat32)))).to(grad.dtype());
  });
  EXPECT_EQ(alarms(verify_operator(mutant, {.dtypes = {kFloat64}})), reverse_fails());
  EXPECT_EQ(alarms(verify_operator(mutant, {.dtypes = {kFloat32}})), std::vector<std::string>());
}

/// y = softmax(x) over the last dimension, whose rule is `rule`.
template <typename Rule>
OpSpec softmax_with(Rule rule) {
  const auto reference = [](const WideList& x) {
    WideTensor y(x[0].sizes);
    const PlainSlices s(x[0].sizes, -1);
    for (int64_t o = 0; o < s.outer; ++o) {
      Wide sum = 0;
      for (int64_t i = 0; i < s.size; ++i) sum += math::exp(x[0].values[s.at(o, i, 0)]);
      for (int64_t i = 0; i < s.size; ++i)
        y.values[s.at(o, i, 0)] = math::exp(x[0].values[s.at(o, i, 0)]) / sum;
    }
    return y;
  };
  OpSpec spec = unary_mutant(
      [=](const variable_list& x) {
        return with_derivative(derivative("Mutant", elementwise(rule)), reference, x[0]);
      },
      reference, 1, 3);
  spec.family = "reduce";
  return spec;
}

TEST(FormulaMutants, RightSoftmaxRaisesNoAlarm) {
  // Its Jacobian is symmetric, so one formula serves both modes.
  const auto right = softmax_with([](const Tensor& grad, const Output& y) {
    const Tensor product = grad * y;
    return product - y * product.sum(-1, true);
  });
  EXPECT_EQ(alarms(verify_operator(right)), std::vector<std::string>());
}

TEST(FormulaMutants, DroppedTermOfSoftmaxIsCaughtByReverse) {
  const auto mutant = softmax_with([](const Tensor& grad, const Output& y) { return grad * y; });
  EXPECT_EQ(alarms(verify_operator(mutant)), reverse_fails());
}

TEST(FormulaMutants, NotANumberAtASinglePointIsCaughtByReverse) {
  const auto reference = [](const WideList& x) {
    return plain_map([](Wide a) { return a * a; }, x[0]);
  };
  // x^2 x' = 2 x^2 / x is 0/0 at 0.
  const auto mutant = unary_mutant(
      [=](const variable_list& x) {
        return with_derivative(
            derivative("Mutant", elementwise([](const Tensor& grad, const Input<0>& x0) {
                         return make_tensor(
                                    [&] {
                                      Numbers slopes = numbers_of(x0);
                                      for (double& a : slopes) a = 2 * a * a / a;
                                      return slopes;
                                    }(),
                                    x0.sizes().vec(), x0.dtype()) *
                                grad;
                       })),
            reference, x[0]);
      },
      reference);
  const auto found = alarms(verify_operator(mutant));
  EXPECT_NE(std::find(found.begin(), found.end(), "reverse NONFINITE"), found.end());
}

TEST(FormulaMutants, ValueSlightlyOffIsCaughtByValue) {
  const auto mutant =
      unary_mutant([](const variable_list& x) { return tanh(x[0]) * (1 + 1e-13); }, plain_tanh);
  const auto found = alarms(verify_operator(mutant, {.dtypes = {kFloat64}}));
  EXPECT_NE(std::find(found.begin(), found.end(), "value FAIL"), found.end());
}

}  // namespace
}  // namespace notape::verify
