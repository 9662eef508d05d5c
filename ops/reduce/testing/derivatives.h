// What tests of reductions and losses share: derivatives as numbers.
#pragma once
#include <limits>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// As expect_values, but NaN equals NaN and nine digits suffice.
inline void expect_close(const Tensor& tensor, const std::vector<double>& expected,
                         std::source_location at = std::source_location::current()) {
  const ::testing::ScopedTrace trace(at.file_name(), static_cast<int>(at.line()), "expect_close");
  ASSERT_TRUE(tensor.defined());
  EXPECT_THAT(values(tensor), Pointwise(::testing::NanSensitiveDoubleNear(2e-9), expected));
}

/// 1, 2, ..., n in the shape of `like`.
inline Tensor counting_like(const Tensor& like) {
  return arange(1, like.numel() + 1, like.options()).reshape(like.sizes());
}

/// d/dx of 1 f[0] + 2 f[1] + 3 f[2] + ...: a gradient that tells the outputs apart.
template <typename F>
Tensor weighted_gradient(const F& f, const Tensor& x) {
  const Tensor variable = x.detach().requires_grad_();
  const Tensor result = f(variable);
  return autograd::grad({result}, {variable}, {counting_like(result)})[0];
}

/// Row-major second derivatives of a scalar function.
template <typename F>
std::vector<double> hessian(const F& f, const Tensor& x) {
  const Tensor variable = x.detach().requires_grad_();
  const Tensor gradient = autograd::grad({f(variable)}, {variable}, {}, {}, true)[0];
  std::vector<double> result;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const Tensor row = autograd::grad({gradient.reshape({x.numel()})[i]}, {variable}, {}, true)[0];
    for (double entry : values(row)) result.push_back(entry);
  }
  return result;
}

/// The derivative of f at x along `direction`, by forward mode.
template <typename F>
Tensor directional_derivative(const F& f, const Tensor& x, const Tensor& direction) {
  const autograd::forward_ad::DualLevelGuard level;
  return autograd::forward_ad::unpack_dual(f(autograd::forward_ad::make_dual(x, direction)))
      .tangent;
}

}  // namespace notape::testing
