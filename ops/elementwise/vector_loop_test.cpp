// Functions computed several elements at a time: accuracy against the C library in wider types,
// values that arithmetic does not reach, and that an element's place does not matter.
#include <bit>
#include <cmath>
#include <random>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

struct Function {
  const char* name;
  Tensor (*call)(const Tensor&);
  long double (*exact)(long double);
  int most_ulps = 2;
};
const Function kFunctions[] = {
    {"exp", [](const Tensor& x) { return exp(x); }, [](long double x) { return std::exp(x); }},
    {"log", [](const Tensor& x) { return log(x); }, [](long double x) { return std::log(x); }},
    {"log1p", [](const Tensor& x) { return log1p(x); },
     [](long double x) { return std::log1p(x); }},
    {"sin", [](const Tensor& x) { return sin(x); }, [](long double x) { return std::sin(x); }},
    {"cos", [](const Tensor& x) { return cos(x); }, [](long double x) { return std::cos(x); }},
    {"tanh", [](const Tensor& x) { return tanh(x); }, [](long double x) { return std::tanh(x); }},
    {"erf", [](const Tensor& x) { return erf(x); }, [](long double x) { return std::erf(x); }},
    {"expm1", [](const Tensor& x) { return expm1(x); },
     [](long double x) { return std::expm1(x); }},
    {"exp2", [](const Tensor& x) { return exp2(x); }, [](long double x) { return std::exp2(x); }},
    {"log2", [](const Tensor& x) { return log2(x); }, [](long double x) { return std::log2(x); }},
    {"log10", [](const Tensor& x) { return log10(x); },
     [](long double x) { return std::log10(x); }},
    {"tan", [](const Tensor& x) { return tan(x); }, [](long double x) { return std::tan(x); }},
    {"asin", [](const Tensor& x) { return asin(x); }, [](long double x) { return std::asin(x); }},
    {"acos", [](const Tensor& x) { return acos(x); }, [](long double x) { return std::acos(x); }},
    {"atan", [](const Tensor& x) { return atan(x); }, [](long double x) { return std::atan(x); }},
    {"sinh", [](const Tensor& x) { return sinh(x); }, [](long double x) { return std::sinh(x); }},
    {"cosh", [](const Tensor& x) { return cosh(x); }, [](long double x) { return std::cosh(x); }},
    {"asinh", [](const Tensor& x) { return asinh(x); },
     [](long double x) { return std::asinh(x); }},
    {"acosh", [](const Tensor& x) { return acosh(x); },
     [](long double x) { return std::acosh(x); }},
    {"atanh", [](const Tensor& x) { return atanh(x); },
     [](long double x) { return std::atanh(x); }},
    {"lgamma", [](const Tensor& x) { return lgamma(x); },
     [](long double x) { return std::lgamma(x); }, 5},  // the C library's of negative numbers
    {"erfc", [](const Tensor& x) { return erfc(x); }, [](long double x) { return std::erfc(x); }},
    {"pow 1.7", [](const Tensor& x) { return pow(x, 1.75); },
     [](long double x) { return std::pow(x, 1.75L); }},
};

/// Units in the last place of T between a result and the exact one; infinite where one of them is
/// NaN, infinite or a zero of another sign and the other is not.
template <typename T>
long double ulps(T got, long double exact) {
  const T nearest = static_cast<T>(exact);
  if (std::isnan(got) && std::isnan(nearest)) return 0;
  if (got == nearest) return std::signbit(got) == std::signbit(nearest) ? 0 : INFINITY;
  if (!std::isfinite(got) || !std::isfinite(nearest)) return INFINITY;
  const T above = std::nextafter(std::abs(nearest), std::numeric_limits<T>::infinity());
  return std::abs(got - exact) / (static_cast<long double>(above) - std::abs(nearest));
}

template <typename T>
std::vector<T> values() {
  using Bits = std::conditional_t<std::is_same_v<T, float>, uint32_t, uint64_t>;
  constexpr T kInf = std::numeric_limits<T>::infinity(), kMax = std::numeric_limits<T>::max();
  constexpr T kTiny = std::numeric_limits<T>::min(), kLeast = std::numeric_limits<T>::denorm_min();
  std::vector<T> all = {0,
                        -T(0),
                        1,
                        -1,
                        kInf,
                        -kInf,
                        std::numeric_limits<T>::quiet_NaN(),
                        kMax,
                        -kMax,
                        kTiny,
                        -kTiny,
                        kLeast,
                        -kLeast,
                        kTiny / 3,
                        -kTiny / 3,
                        T(88.7228),
                        T(88.73),
                        T(-87.4),
                        T(-103.9),
                        T(-104.1),
                        T(709.78),
                        T(709.79),
                        T(-708.4),
                        T(-745),
                        T(-746),
                        T(1e5),
                        T(1e10),
                        T(1e22),
                        T(-1e30)};
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> near(-20, 20);
  for (int i = 0; i < 40000; ++i) {
    all.push_back(std::bit_cast<T>(static_cast<Bits>(random())));
    all.push_back(static_cast<T>(near(random)));
  }
  return all;
}

template <typename T>
Tensor tensor_of(std::vector<T>& values) {
  return from_blob(values.data(), {static_cast<int64_t>(values.size())},
                   TensorOptions(scalar_type_of<T>));
}

template <typename T>
void expect_accurate(const Function& function, std::vector<T> x) {
  const Tensor y = function.call(tensor_of(x));
  long double worst = 0;
  T where = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double error = ulps(y.data_ptr<T>()[i], function.exact(x[i]));
    if (!(error > worst)) continue;
    worst = error;
    where = x[i];
  }
  EXPECT_LE(worst, function.most_ulps) << function.name << " of " << where;
}

TEST(VectorLoop, FunctionsAreWithinTwoUlpsEverywhere) {
  for (const Function& function : kFunctions) {
    expect_accurate(function, values<float>());
    expect_accurate(function, values<double>());
  }
}

TEST(VectorLoop, FunctionsAreWithinTwoUlpsWhereAllNumbersAreUsual) {
  std::vector<float> usual;
  for (const float x : values<float>())
    if (x > 1e-30f && x < 80) usual.push_back(x);
  for (const Function& function : kFunctions) expect_accurate(function, usual);
}

template <typename T>
void expect_powers_of_the_c_library() {
  constexpr T kInf = std::numeric_limits<T>::infinity();
  const T numbers[] = {
      0,  -T(0), 1,    -1,    T(0.5), T(-0.5), 2,
      -2, 3,     kInf, -kInf, T(1.3), T(1e30), std::numeric_limits<T>::quiet_NaN()};
  std::vector<T> bases, exponents;
  for (const T base : numbers)
    for (const T exponent : numbers) {
      bases.push_back(base);
      exponents.push_back(exponent);
    }
  const Tensor powers = pow(tensor_of(bases), tensor_of(exponents));
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const bool root = std::abs(exponents[i]) == T(0.5);  // computed with sqrt, as LibTorch does
    const T expected =
        root ? std::pow(std::sqrt(bases[i]), exponents[i] * 2) : std::pow(bases[i], exponents[i]);
    EXPECT_LE(ulps(powers.data_ptr<T>()[i], static_cast<long double>(expected)), 1)
        << bases[i] << " to the " << exponents[i] << " is " << powers.data_ptr<T>()[i];
  }
}

TEST(VectorLoop, PowersOfSpecialNumbersAreTheCLibrarys) {
  expect_powers_of_the_c_library<float>();
  expect_powers_of_the_c_library<double>();
}

TEST(VectorLoop, AnElementsValueDoesNotDependOnItsPlace) {
  for (const ScalarType type : {kFloat32, kFloat64}) {
    const Tensor x = rand({37, 3}, TensorOptions(type)) * 4, row = x.t().contiguous();
    const auto expect_bits = [](const Tensor& a, const Tensor& b, const char* name) {
      EXPECT_TRUE(allclose(a, b, 0, 0, /*equal_nan=*/true)) << name;
    };
    for (const Function& function : kFunctions) {
      const Tensor whole = function.call(x);
      expect_bits(function.call(row).t(), whole, function.name);
      expect_bits(function.call(x.select(1, 1)), whole.select(1, 1), function.name);
      for (const double other : {-1e9, -1.0, 0.0, 1e-42, 1e9, double(INFINITY), double(NAN)}) {
        Tensor beside = x.clone();
        beside.select(0, 36).fill_(other);
        expect_bits(function.call(beside).narrow(0, 0, 36), whole.narrow(0, 0, 36), function.name);
      }
      for (int64_t i = 0; i < 37; ++i)
        expect_bits(function.call(x.select(0, i).clone()), whole.select(0, i), function.name);
    }
    const Tensor exponents = where(x > 2, x, full_like(x, 0.5));
    expect_bits(pow(row, exponents.t()).t(), pow(x, exponents), "pow of tensors");
    expect_bits(pow(x, full_like(x, 1.75)), pow(x, 1.75), "pow of a number");
    expect_bits(pow(full_like(x, 1.75), x), pow(1.75, x), "pow of a number's base");
  }
}

TEST(VectorLoop, InPlaceGivesTheSameWhereSomeNumbersAreUnusual) {
  const std::pair<Tensor (*)(const Tensor&), Tensor& (*)(Tensor&)> forms[] = {
      {[](const Tensor& x) { return exp(x); }, [](Tensor& x) -> Tensor& { return exp_(x); }},
      {[](const Tensor& x) { return log(x); }, [](Tensor& x) -> Tensor& { return log_(x); }},
      {[](const Tensor& x) { return sin(x); }, [](Tensor& x) -> Tensor& { return sin_(x); }},
      {[](const Tensor& x) { return cos(x); }, [](Tensor& x) -> Tensor& { return cos_(x); }}};
  for (const auto& [call, call_in_place] : forms)
    for (const double other : {0.5, -1e-42, 1e9, double(NAN)})
      for (const int64_t step : {1, 2}) {
        const Tensor x = rand({1500, step}) + 0.5, column = x.select(1, 0);
        column.select(0, 700).fill_(other);
        const Tensor expected = call(column);
        Tensor here = column;
        call_in_place(here);
        EXPECT_TRUE(allclose(here, expected, 0, 0, /*equal_nan=*/true)) << other << " " << step;
      }
}

}  // namespace
}  // namespace notape::testing
