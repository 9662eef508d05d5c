// Wrong formulas.
#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// y = tanh(x) whose rule is `rule`, for both modes.
template <typename Rule>
OpSpec tanh_with(Rule rule) {
  return unary_mutant(
      [=](const variable_list& x) {
        return with_derivative(derivative("Mutant", elementwise(rule)), plain_tanh, x[0]);
      },
      plain_tanh);
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

/// x^2, whose derivative 2 x^2 / x is 0/0 at 0.
OpSpec square_by_a_quotient() {
  constexpr auto plain_square = [](const WideList& x) {
    return plain_map([](Wide a) { return a * a; }, x[0]);
  };
  const auto quotient = [](const Tensor& grad, const Input<0>& x) {
    Numbers slopes = numbers_of(x);
    for (double& a : slopes) a = 2 * a * a / a;
    return make_tensor(slopes, x.sizes().vec(), x.dtype()) * grad;
  };
  return unary_mutant(
      [=](const variable_list& x) {
        return with_derivative(derivative("Mutant", elementwise(quotient)), plain_square, x[0]);
      },
      plain_square);
}

TEST(FormulaMutants, AreCaughtByReverseAndRightFormulasRaiseNoAlarm) {
  const auto is_caught = ElementsAre("reverse FAIL");
  const Options in_float64{.dtypes = {kFloat64}}, in_float32{.dtypes = {kFloat32}};
  const auto tanh_times = [](double factor) {
    return tanh_with(
        [=](const Tensor& grad, const Output& y) { return grad * (1 - square(y)) * factor; });
  };
  const OpSpec with_float32_inside = tanh_with([](const Tensor& grad, const Output& y) {
    return (grad.to(kFloat32) * (1 - square(y.to(kFloat32)))).to(grad.dtype());
  });
  const auto ignoring =
      rule([](const Tensor& grad, const Output& y) { return grad * 0 + (1 - square(y)); },
           [](const Tensor& tangent, const Output& y) { return tangent * (1 - square(y)); });
  expect_alarms(
      {{"right tanh", tanh_times(1), IsEmpty()},
       {"wrong sign", tanh_times(-1), is_caught},
       {"missing square",
        tanh_with([](const Tensor& grad, const Output& y) { return grad * (1 - y); }), is_caught},
       {"input where the output is meant",
        tanh_with([](const Tensor& grad, const Input<0>& x) { return grad * (1 - square(x)); }),
        is_caught},
       {"factor wrong in the seventh digit", tanh_times(1.0000003), is_caught, in_float64},
       {"error of a hundred-thousandth in float32", tanh_times(1.00001), is_caught, in_float32},
       {"error of one part in ten to the twelfth", tanh_times(1 + 1e-12), is_caught, in_float64},
       {"ignored incoming gradient",
        unary_mutant(
            [=](const variable_list& x) {
              return with_derivative(derivative("Mutant", ignoring), plain_tanh, x[0]);
            },
            plain_tanh),
        Contains("reverse FAIL")},
       {"float32 arithmetic in a float64 rule", with_float32_inside, is_caught, in_float64},
       {"float32 arithmetic in float32", with_float32_inside, IsEmpty(), in_float32},
       // Its Jacobian is symmetric, so one formula serves both modes.
       {"right softmax", softmax_with([](const Tensor& grad, const Output& y) {
          const Tensor product = grad * y;
          return product - y * product.sum(-1, true);
        }),
        IsEmpty()},
       {"dropped term of softmax",
        softmax_with([](const Tensor& grad, const Output& y) { return grad * y; }), is_caught},
       {"not a number at a single point", square_by_a_quotient(), Contains("reverse NONFINITE")},
       {"value slightly off",
        unary_mutant([](const variable_list& x) { return tanh(x[0]) * (1 + 1e-13); }, plain_tanh),
        Contains("value FAIL"), in_float64}});
}

TEST(FormulaMutants, WrongSignAndHalfTheSlopeAreCaughtIn16Bits) {
  for (ScalarType type : {kFloat16, kBFloat16}) {
    const Options options{.dtypes = {type}};
    expect_alarms({{"right", square_with(2), IsEmpty(), options},
                   {"wrong sign", square_with(-2), ElementsAre("reverse FAIL"), options},
                   {"half the slope", square_with(1), ElementsAre("reverse FAIL"), options}});
  }
}

}  // namespace
}  // namespace notape::verify
