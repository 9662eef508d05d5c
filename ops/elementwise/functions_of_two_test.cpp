// Functions of two operands, as functions_test.cpp has them of one.
#include "ops/elementwise/testing/function_table.h"

namespace notape::testing {
namespace {

const NestedNumbers kFirst = {-2, -2, -0.5, 0, 0, 0, 0.75, 1, 2, 2, 3, 5, kInfinity, kNaN, 1};
const NestedNumbers kSecond = {3,  -2,  2, 2,         0, -1, 0.5,       kNaN,
                               -1, 2.5, 3, kInfinity, 2, 0,  -kInfinity};

const BinaryCase kOfTwo[] = {
    {"atan2",
     [](const Tensor& a, const Tensor& b) { return atan2(a, b); },
     "ffffffhgfd",
     {-0.5880026035475675, -2.356194490192345, -0.24497866312686414, 0, 0, 3.141592653589793,
      0.982793723247329, kNaN, 2.0344439357957027, 0.6747409422235526, 0.7853981633974483, 0,
      1.5707963267948966, kNaN, 3.141592653589793},
     {0.23076923076923078, -0.25, 0.47058823529411764, 0.5, 0, -1, 0.6153846153846154, kNaN, -0.2,
      0.24390243902439024, 0.16666666666666666, kNaN, 0, kNaN, kNaN},
     {0.15384615384615385, 0.25, 0.11764705882352941, 0, 0, 0, -0.9230769230769231, kNaN, -0.4,
      -0.1951219512195122, -0.16666666666666666, 0, kNaN, kNaN, 0}},
    // PyTorch's derivative: NaN at place 4
    // PyTorch's derivative by the second: NaN at place 4
    {"hypot",
     [](const Tensor& a, const Tensor& b) { return hypot(a, b); },
     "------hgfd",
     {3.605551275463989, 2.8284271247461903, 2.0615528128088303, 2, 0, 1, 0.9013878188659973, kNaN,
      2.23606797749979, 3.2015621187164243, 4.242640687119285, kInfinity, kInfinity, kNaN,
      kInfinity},
     {-0.5547001962252291, -0.7071067811865475, -0.24253562503633297, 0, 0, 0, 0.8320502943378437,
      kNaN, 0.8944271909999159, 0.6246950475544243, 0.7071067811865476, 0, kNaN, kNaN, 0},
     {0.8320502943378437, -0.7071067811865475, 0.9701425001453319, 1, 0, -1, 0.5547001962252291,
      kNaN, -0.4472135954999579, 0.7808688094430304, 0.7071067811865476, kNaN, 0, kNaN, kNaN}},
    {"remainder",
     [](const Tensor& a, const Tensor& b) { return remainder(a, b); },
     "-ucsilhgfd",
     {1, 0, 1.5, 0, kNaN, 0, 0.25, kNaN, 0, 2, 0, 5, kNaN, kNaN, -kInfinity},
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
     {1, -1, 1, 0, kNaN, 0, -1, kNaN, 2, 0, -1, 0, kNaN, kNaN, 1}},
    // PyTorch's derivative by the second: -inf at place 12
    {"fmod",
     [](const Tensor& a, const Tensor& b) { return fmod(a, b); },
     "-ucsilhgfd",
     {-2, 0, -0.5, 0, kNaN, 0, 0.25, kNaN, 0, 2, 0, 5, kNaN, kNaN, 1},
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
     {0, -1, 0, 0, kNaN, 0, -1, kNaN, 2, 0, -1, 0, kNaN, kNaN, 0}},
    {"fmax",
     [](const Tensor& a, const Tensor& b) { return fmax(a, b); },
     "bucsilhgfd",
     {3, -2, 2, 2, 0, 0, 0.75, 1, 2, 2.5, 3, kInfinity, kInfinity, 0, 1},
     {0, 0.5, 0, 0, 0.5, 1, 1, 1, 1, 0, 0.5, 0, 1, 0, 1},
     {1, 0.5, 1, 1, 0.5, 0, 0, 0, 0, 1, 0.5, 1, 0, 1, 0}},
    {"fmin",
     [](const Tensor& a, const Tensor& b) { return fmin(a, b); },
     "bucsilhgfd",
     {-2, -2, -0.5, 0, 0, -1, 0.5, 1, -1, 2, 3, 5, 2, 0, -kInfinity},
     {1, 0.5, 1, 1, 0.5, 0, 0, 1, 0, 1, 0.5, 1, 0, 0, 0},
     {0, 0.5, 0, 0, 0.5, 1, 1, 0, 1, 0, 0.5, 0, 1, 1, 1}},
    {"logaddexp",
     [](const Tensor& a, const Tensor& b) { return logaddexp(a, b); },
     "------hgfd",
     {3.0067153484891183, -1.3068528194400546, 2.0788897342925496, 2.1269280110429727,
      0.6931471805599453, 0.31326168751822286, 1.3259394198788437, kNaN, 2.048587351573742,
      2.9740769841801065, 3.6931471805599454, kInfinity, kInfinity, kNaN, 1},
     {0.0066928509242848554, 0.5, 0.07585818002124355, 0.11920292202211755, 0.5, 0.7310585786300049,
      0.5621765008857981, kNaN, 0.9525741268224334, 0.3775406687981454, 0.5, 0, 1, kNaN, 1},
     {0.9933071490757153, 0.5, 0.9241418199787566, 0.8807970779778823, 0.5, 0.2689414213699951,
      0.43782349911420193, kNaN, 0.04742587317756678, 0.6224593312018546, 0.5, 1, 0, kNaN, 0}},
    {"logaddexp2",
     [](const Tensor& a, const Tensor& b) { return logaddexp2(a, b); },
     "------hgfd",
     {3.0443941193584534, -1, 2.234840581079202, 2.321928094887362, 1, 0.5849625007211562,
      1.630408450476996, kNaN, 2.169925001442312, 3.271553303163612, 4, kInfinity, kInfinity, kNaN,
      1},
     {0.030303030303030304, 0.5, 0.15022110482233483, 0.2, 0.5, 0.6666666666666666,
      0.5432136168629449, kNaN, 0.8888888888888888, 0.4142135623730951, 0.5, 0, 1, kNaN, 1},
     {0.9696969696969697, 0.5, 0.8497788951776651, 0.8, 0.5, 0.3333333333333333,
      0.45678638313705516, kNaN, 0.1111111111111111, 0.585786437626905, 0.5, 1, 0, kNaN, 0}},
    // PyTorch's derivative by the second: 1 at place 1; NaN at place 4; -2 at place 8 ...
    {"xlogy",
     [](const Tensor& a, const Tensor& b) { return xlogy(a, b); },
     "ffffffhgfd",
     {-2.1972245773362196, kNaN, -0.34657359027997264, 0, 0, 0, -0.5198603854199589, kNaN, kNaN,
      1.8325814637483102, 3.295836866004329, kInfinity, kInfinity, kNaN, kNaN},
     {1.0986122886681098, kNaN, 0.6931471805599453, 0.6931471805599453, 0, 0, -0.6931471805599453,
      kNaN, kNaN, 0.9162907318741551, 1.0986122886681098, kInfinity, 0.6931471805599453, -kInfinity,
      kNaN},
     {-0.6666666666666666, kNaN, -0.25, 0, 0, 0, 1.5, kNaN, kNaN, 0.8, 1, 0, kInfinity, kNaN,
      kNaN}},
    // PyTorch's derivative: NaN at place 12; NaN at place 13
    {"copysign",
     [](const Tensor& a, const Tensor& b) { return copysign(a, b); },
     "ffffffhgfd",
     {2, -2, 0.5, 0, 0, 0, 0.75, 1, -2, 2, 3, 5, kInfinity, kNaN, -1},
     {-1, 1, -1, 0, 0, 0, 1, 1, -1, 1, 1, 1, 1, 1, -1},
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"floor_divide",
     [](const Tensor& a, const Tensor& b) { return floor_divide(a, b); },
     "-ucsilhgfd",
     {-1, 1, -1, 0, kNaN, 0, 1, kNaN, -2, 0, 1, 0, kNaN, kNaN, -1},
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"div, trunc",
     [](const Tensor& a, const Tensor& b) { return div(a, b, "trunc"); },
     "-ucsilhgfd",
     {0, 1, 0, 0, kNaN, 0, 1, kNaN, -2, 0, 1, 0, kInfinity, kNaN, 0},
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"logical_and",
     [](const Tensor& a, const Tensor& b) { return logical_and(a, b); },
     "bbbbbbbbbb",
     {1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1},
     {},
     {}},
    {"logical_or",
     [](const Tensor& a, const Tensor& b) { return logical_or(a, b); },
     "bbbbbbbbbb",
     {1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
     {},
     {}},
    {"logical_xor",
     [](const Tensor& a, const Tensor& b) { return logical_xor(a, b); },
     "bbbbbbbbbb",
     {0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0},
     {},
     {}},
    {"isclose",
     [](const Tensor& a, const Tensor& b) { return isclose(a, b); },
     "bbbbbbbbbb",
     {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},
     {},
     {}},
    {"addcdiv",
     [](const Tensor& a, const Tensor& b) { return addcdiv(a, b, a, -2); },
     "------hgfd",
     {1, -4, 7.5, -kInfinity, kNaN, kInfinity, -0.5833333333333333, kNaN, 3, -0.5, 1, -kInfinity,
      kInfinity, kNaN, kInfinity},
     {2.5, 0, 17, kInfinity, kNaN, -kInfinity, 2.7777777777777777, kNaN, 0.5, 2.25,
      1.6666666666666665, kInfinity, 1, kNaN, -kInfinity},
     {1, 1, 4, -kInfinity, -kInfinity, -kInfinity, -2.6666666666666665, -2, -1, -1,
      -0.6666666666666666, -0.4, 0, kNaN, -2}},
};

TEST(ElementwiseFunctions, OfTwoOperandsAreLibTorchs) {
  for (const BinaryCase& one : kOfTwo)
    expect_case(one, tensor(kFirst, kFloat64), tensor(kSecond, kFloat64));
}

TEST(Hypot, HasDerivativesWithoutCancellationWhateverTheSizes) {
  struct Row {
    double a, b, slope, second, mixed, third;
  };
  const Row rows[] = {
      {3, 4, 0.6, 0.128, -0.096, -0.04608},
      {1, 1e-9, 1, 1e-18, -1e-9, -3e-18},
      {-2, 1e-20, -1, 1.25e-41, 2.5e-21, 1.875e-41},
      {1e308, 1e308, std::sqrt(0.5), std::sqrt(0.125) * 1e-308, -std::sqrt(0.125) * 1e-308, 0},
      {0, 1e-100, 0, 1e100, 0, 0}};
  for (const Row& row : rows) {
    const Tensor a = tensor(row.a, kFloat64).requires_grad_();
    const Tensor b = tensor(row.b, kFloat64).requires_grad_();
    const auto slopes = [&](const Tensor& y) {
      return autograd::grad({y}, {a, b}, {}, true, true);
    };
    const Tensor slope = slopes(hypot(a, b))[0];
    const variable_list second = slopes(slope);
    EXPECT_NEAR(slope.item(), row.slope, 1e-15);
    EXPECT_NEAR(second[0].item(), row.second, 1e-15 * row.second);
    EXPECT_NEAR(second[1].item(), row.mixed, 1e-15 * std::abs(row.mixed));
    EXPECT_NEAR(slopes(second[0])[0].item(), row.third, 1e-15 * std::abs(row.third));
  }
}

}  // namespace
}  // namespace notape::testing
