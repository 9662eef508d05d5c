// Tables of functions: values, first derivatives and result types at numbers of every kind, as
// another library gives them.
#pragma once
#include <cmath>
#include <string>

#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {

struct UnaryCase {
  const char* name;
  Tensor (*call)(const Tensor& x);
  const char* types;  ///< of the result of bool, uint8, int32, int64, float16, bfloat16, float32,
                      ///< float64 by their letters in "bucsilhgfd"; - where they are refused
  std::vector<double> values, derivatives;  ///< no derivatives: it has none
};
struct BinaryCase {
  const char* name;
  Tensor (*call)(const Tensor& a, const Tensor& b);
  const char* types;  ///< of two operands of one type
  std::vector<double> values, by_first, by_second;
};

/// The letter of the result's type, or - where the operands are refused.
template <typename F>
char type_letter(const F& call) {
  try {
    return "bucsilhgfd"[static_cast<std::size_t>(call().dtype())];
  } catch (const DtypeError&) {
    return '-';
  } catch (const ValueError&) {
    return '-';
  }
}

/// `what` of the case: equal up to `rounding` of each number; NaN equals NaN.
inline void expect_numbers(const std::string& what, const Tensor& result,
                           const std::vector<double>& expected, double rounding = 1e-13) {
  ASSERT_TRUE(result.defined()) << what;
  const std::vector<double> got = values(result);
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_THAT(got[i],
                ::testing::NanSensitiveDoubleNear(
                    expected[i],
                    !std::isfinite(expected[i]) ? 0 : rounding * std::abs(expected[i]) + 1e-300))
        << what << " at place " << i;
}

inline void expect_case(const UnaryCase& one, const Tensor& at) {
  const Tensor x = at.detach().requires_grad_(!one.derivatives.empty());
  const Tensor y = one.call(x);
  expect_numbers(one.name, y, one.values);
  expect_numbers(std::string(one.name) + " in float32", one.call(at.to(kFloat32)), one.values,
                 4e-6);
  if (!one.derivatives.empty())
    expect_numbers(std::string("the derivative of ") + one.name, autograd::grad({y.sum()}, {x})[0],
                   one.derivatives);
  std::string types;
  for (int t = 0; t < kScalarTypes; ++t)
    types += type_letter([&] { return one.call(ones({2}, static_cast<ScalarType>(t))); });
  EXPECT_EQ(types, one.types) << one.name;
}

inline void expect_case(const BinaryCase& one, const Tensor& at_a, const Tensor& at_b) {
  const bool differentiable = !one.by_first.empty();
  const Tensor a = at_a.detach().requires_grad_(differentiable),
               b = at_b.detach().requires_grad_(differentiable);
  const Tensor y = one.call(a, b);
  expect_numbers(one.name, y, one.values);
  if (differentiable) {
    const auto gradients = autograd::grad({y.sum()}, {a, b});
    expect_numbers(std::string(one.name) + " by the first", gradients[0], one.by_first);
    expect_numbers(std::string(one.name) + " by the second", gradients[1], one.by_second);
  }
  std::string types;
  for (int t = 0; t < kScalarTypes; ++t)
    types += type_letter([&] {
      const Tensor x = ones({2}, static_cast<ScalarType>(t));
      return one.call(x, x);
    });
  EXPECT_EQ(types, one.types) << one.name;
}

}  // namespace notape::testing
