// Rules for several results, for lists of tensors, and for saved values with names of their own.
#include <cmath>

#include "autograd/autograd.h"
#include "autograd/graph/record_list.h"
#include "autograd/graph/saved_values.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using namespace autograd;

void expect_close(const Tensor& tensor, const std::vector<double>& expected) {
  expect_values(tensor, expected, 1e-14);
}

/// {r, angle} of points in the plane; the second derivative needs both saved results.
constexpr auto kPolar =
    derivative("PolarBackward",
               rule(
                   [](const PerResult<2>& grads, const Result<0>& r, const Result<1>& angle) {
                     Tensor sum = zeros_like(r);
                     if (grads[0].defined()) sum = sum + grads[0] * cos(angle);
                     if (grads[1].defined()) sum = sum - grads[1] * sin(angle) / r;
                     return sum;
                   },
                   [](const Tensor& t, const Result<0>& r, const Result<1>& angle) {
                     return PerResult<2>{t * cos(angle), -t * sin(angle) / r};
                   }),
               rule(
                   [](const PerResult<2>& grads, const Result<0>& r, const Result<1>& angle) {
                     Tensor sum = zeros_like(r);
                     if (grads[0].defined()) sum = sum + grads[0] * sin(angle);
                     if (grads[1].defined()) sum = sum + grads[1] * cos(angle) / r;
                     return sum;
                   },
                   [](const Tensor& t, const Result<0>& r, const Result<1>& angle) {
                     return PerResult<2>{t * sin(angle), t * cos(angle) / r};
                   }))
        .with_arguments<"x", "y">()
        .with_results<"radius", "angle">();

PerResult<2> polar(const Tensor& x, const Tensor& y) {
  const NoGradGuard raw;
  Tensor r = sqrt(x * x + y * y).detach(), angle = r.clone();
  for (int64_t i = 0; i < x.numel(); ++i)
    angle.data_ptr<double>()[i] = std::atan2(y.data_ptr<double>()[i], x.data_ptr<double>()[i]);
  const AutoGradMode recording(true);
  return record(kPolar, {"polar", At::current()}, PerResult<2>{r, angle}, NoParameters{}, x, y);
}

TEST(SeveralResults, EachHasItsPlaceInTheNode) {
  const Tensor x = leaf({3, 1}), y = leaf({4, 0});
  const auto [r, angle] = polar(x, y);
  EXPECT_EQ(r.grad_fn(), angle.grad_fn());
  EXPECT_EQ(r.output_nr(), 0);
  EXPECT_EQ(angle.output_nr(), 1);
  EXPECT_EQ(r.grad_fn()->num_inputs(), 2u);
}

TEST(SeveralResults, OneWithoutAGradientIsUndefined) {
  const Tensor x = leaf({3}), y = leaf({4});
  const auto [r, angle] = polar(x, y);
  expect_close(autograd::grad({r.sum()}, {x, y}, {}, true)[0], {0.6});
  expect_close(autograd::grad({angle.sum()}, {x, y}, {}, true)[0], {-4.0 / 25});
  expect_close(autograd::grad({r.sum(), angle.sum()}, {y}, {}, true)[0], {0.8 + 3.0 / 25});
}

TEST(SeveralResults, AreSavedAsWhatTheyAreForTheSecondDerivative) {
  const Tensor x = leaf({3}), y = leaf({4});
  const auto [r, angle] = polar(x, y);
  const Tensor by_x = autograd::grad({r.sum()}, {x}, {}, true, true)[0];
  // d2 r / dx2 = y^2 / r^3, d2 r / dx dy = -x y / r^3
  const auto second = autograd::grad({by_x.sum()}, {x, y}, {}, true);
  expect_close(second[0], {16.0 / 125});
  expect_close(second[1], {-12.0 / 125});
  const Tensor of_angle = autograd::grad({angle.sum()}, {x}, {}, true, true)[0];
  expect_close(autograd::grad({of_angle.sum()}, {x})[0], {2 * 3 * 4.0 / 625});
}

TEST(SeveralResults, HaveATangentEach) {
  const Tensor x = constant({3}), y = constant({4});
  const forward_ad::DualLevelGuard level;
  const auto [r, angle] = polar(forward_ad::make_dual(x, constant({1})), y);
  expect_close(forward_ad::unpack_dual(r).tangent, {0.6});
  expect_close(forward_ad::unpack_dual(angle).tangent, {-4.0 / 25});
}

TEST(SeveralResults, AreSavedUnderTheirNames) {
  const Tensor x = leaf({3}), y = leaf({4});
  const auto [r, angle] = polar(x, y);
  const auto saved = autograd::saved_variables(r.grad_fn());
  ASSERT_EQ(saved.size(), 2u);
  EXPECT_EQ(saved[0].slot, "radius");
  EXPECT_EQ(saved[1].slot, "angle");
  angle.detach().add_(1);
  expect_error<SavedTensorModified>("angle", [&] { r.sum().backward(); });
}

TEST(SeveralResults, VolatilityAndNoGradReachAll) {
  const Tensor x = make_variable(constant({3}), false, true), y = leaf({4});
  for (const Tensor& result : polar(x, y)) {
    EXPECT_TRUE(result.is_volatile());
    EXPECT_FALSE(result.grad_fn());
  }
}

TEST(SeveralResults, IndicesBesideValuesAreNotDifferentiable) {
  const Tensor x = leaf({3, 7, 5}).reshape({3});
  const auto [values, indices] = max(x, 0);
  EXPECT_TRUE(values.requires_grad());
  EXPECT_FALSE(indices.requires_grad());
  EXPECT_FALSE(indices.grad_fn());
  EXPECT_EQ(values.grad_fn()->num_inputs(), 2u);
  EXPECT_EQ(autograd::saved_variables(values.grad_fn())[0].slot, "indices");
  indices.fill_(0);
  EXPECT_THROW(values.backward(), SavedTensorModified);
}

/// The product of five, which saves a fifth operand.
constexpr auto kProduct =
    derivative("ProductBackward",
               elementwise([](const Tensor& g, const Input<1>& a, const Input<2>& b,
                              const Input<3>& c, const Input<4>& d) { return g * a * b * c * d; }),
               elementwise([](const Tensor& g, const Input<0>& a, const Input<2>& b,
                              const Input<3>& c, const Input<4>& d) { return g * a * b * c * d; }),
               elementwise([](const Tensor& g, const Input<0>& a, const Input<1>& b,
                              const Input<3>& c, const Input<4>& d) { return g * a * b * c * d; }),
               elementwise([](const Tensor& g, const Input<0>& a, const Input<1>& b,
                              const Input<2>& c, const Input<4>& d) { return g * a * b * c * d; }),
               elementwise([](const Tensor& g, const Input<0>& a, const Input<1>& b,
                              const Input<2>& c, const Input<3>& d) { return g * a * b * c * d; }))
        .with_arguments<"input", "weight", "bias", "running_mean", "running_var">();

TEST(NamedArguments, AFifthOperandIsSavedUnderItsName) {
  const Tensor a = leaf({2}), b = leaf({3}), c = leaf({5}), d = leaf({7}), e = leaf({11});
  const Tensor y = record(kProduct, {"product", At::current()},
                          (a * b * c * d * e).detach().clone(), NoParameters{}, a, b, c, d, e);
  const auto saved = autograd::saved_variables(y.grad_fn());
  ASSERT_EQ(saved.size(), 5u);
  EXPECT_EQ(saved[1].slot, "weight");
  EXPECT_EQ(saved[4].slot, "running_var");
  expect_close(autograd::grad({y}, {e}, {}, true)[0], {210});
  const NoGradGuard no_grad;
  e.add_(1);
  expect_error<SavedTensorModified>("running_var", [&] { y.backward(); });
}

/// The product of a list, entry by entry: reads the whole list.
constexpr auto kListProduct =
    derivative("ListProductBackward",
               elementwise(
                   [](const Tensor& grad, const Which& which, const Elements& all) {
                     Tensor result = grad;
                     for (std::size_t i = 0; i < all.size(); ++i)
                       if (i != which.index) result = result * all[i];
                     return result;
                   },
                   [](const TensorList& tangents, const Elements& all) {
                     Tensor sum;
                     for (std::size_t i = 0; i < all.size(); ++i) {
                       if (!tangents[i].defined()) continue;
                       Tensor term = tangents[i];
                       for (std::size_t k = 0; k < all.size(); ++k)
                         if (k != i) term = term * all[k];
                       sum = sum.defined() ? sum + term : term;
                     }
                     return sum;
                   }))
        .with_arguments<"tensors">();

Tensor list_product(const TensorList& list) {
  Tensor result;
  {
    const NoGradGuard raw;
    result = list[0].detach().clone();
    for (std::size_t i = 1; i < list.size(); ++i) result = result * list[i].detach();
  }
  record_list(kListProduct, {"list_product", At::current()}, {result}, NoParameters{}, list);
  return result;
}

TEST(ListRules, GiveEachTensorItsGradientToAnyOrder) {
  const Tensor a = leaf({2}), b = leaf({3}), c = leaf({5});
  const Tensor y = list_product({a, b, c, a});
  const auto first = autograd::grad({y}, {a, b, c}, {}, true, true);
  expect_close(first[0], {60});  // 2 a b c
  expect_close(first[1], {20});
  expect_close(autograd::grad({first[0]}, {a, b}, {}, true)[1], {20});
  expect_close(autograd::grad({first[0]}, {a})[0], {30});
}

TEST(ListRules, PassTangentsOn) {
  const forward_ad::DualLevelGuard level;
  const Tensor b = constant({3});
  const Tensor a = forward_ad::make_dual(constant({2}), constant({1}));
  expect_close(forward_ad::unpack_dual(list_product({a, b, a})).tangent, {12});
}

TEST(ListRules, NoticeWhenASavedTensorOfTheListIsOverwritten) {
  const Tensor a = leaf({2}), b = leaf({3});
  const Tensor y = list_product({a, b});
  {
    const NoGradGuard no_grad;
    b.add_(1);
  }
  expect_error<SavedTensorModified>("tensors", [&] { y.backward(); });
}

TEST(ListRules, ReleaseWhatTheySaved) {
  const Tensor a = leaf({2}), b = leaf({3});
  const Tensor y = list_product({a, b});
  y.backward();
  EXPECT_THROW(y.backward(), GraphFreed);
}

TEST(ListRules, AResultOfAnIntegerListIsNotRecorded) {
  const Tensor a = tensor({1, 2}), b = leaf({3});
  EXPECT_FALSE(cat({a, a}, 0).requires_grad());
  EXPECT_TRUE(cat({a, b}, 0).requires_grad());
  EXPECT_EQ(cat({a, b}, 0).grad_fn()->num_edges(), 2u);
}

}  // namespace
}  // namespace notape::testing
