// Slopes of functions at points where not every derivative is finite, in both modes.
#pragma once
#include <cmath>
#include <limits>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kAnyNaN = std::numeric_limits<double>::quiet_NaN();

/// NaN equals NaN here.
inline void expect_exactly(const Tensor& tensor, const std::vector<double>& expected,
                           std::source_location at = std::source_location::current()) {
  const ::testing::ScopedTrace trace(at.file_name(), static_cast<int>(at.line()), "expect_exactly");
  ASSERT_TRUE(tensor.defined());
  const std::vector<double> got = values(tensor);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(std::isnan(expected[i])
                    ? std::isnan(got[i])
                    : std::abs(got[i] - expected[i]) < 1e-12 || got[i] == expected[i])
        << "entry " << i << ": " << got[i] << " instead of " << expected[i];
}

inline Tensor truth(const std::vector<bool>& truths) {
  const Tensor result = zeros({static_cast<int64_t>(truths.size())}, kBool);
  for (std::size_t i = 0; i < truths.size(); ++i) result.data_ptr<bool>()[i] = truths[i];
  return result;
}

/// d(sum f(x)) / dx.
template <typename F>
Tensor slope(F&& f, const Tensor& x) {
  const Tensor leaf = x.detach().requires_grad_();
  f(leaf).sum().backward();
  return leaf.grad();
}

/// The tangent of f(x) for a tangent of ones.
template <typename F>
Tensor forward_slope(F&& f, const Tensor& x) {
  const autograd::forward_ad::DualLevelGuard level;
  using namespace autograd::forward_ad;
  return unpack_dual(f(make_dual(x, ones_like(x)))).tangent;
}

}  // namespace notape::testing
