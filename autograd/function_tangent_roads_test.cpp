// What a user's forward computes has no tangents: jvp and backward that read it must not silently
// lose a term in forward mode. Inside the forward, forward mode works as anywhere.
#include "autograd/function.h"
#include "autograd/functional/functional.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::Function;
using autograd::grad;

/// x^3 with a jvp that reads a value that forward kept on some path.
template <bool kSaves>
struct CubeWithJvp : Function<CubeWithJvp<kSaves>> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor square = x * x;
    if (kSaves)
      ctx->save_for_backward({x, square});
    else
      ctx->save_for_backward({x});
    ctx->saved_data["square"] = square;
    return x * x * x;
  }
  static Tensor square(AutogradContext* ctx) {
    return kSaves ? ctx->get_saved_variables()[1] : ctx->saved_data["square"].toTensor();
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    const Tensor x = ctx->get_saved_variables()[0];
    return {g[0] * 3 * x * x};
  }
  static variable_list jvp(AutogradContext* ctx, variable_list t) {
    return {t[0] * 3 * square(ctx)};
  }
};

TEST(FunctionTangentRoads, ATangentThatReadsThemHasNoSilentDerivative) {
  using autograd::forward_ad::make_dual;
  using autograd::forward_ad::unpack_dual;
  const auto check = [](auto apply) {
    const Tensor x = leaf({2});
    const autograd::forward_ad::DualLevelGuard level;
    const Tensor tangent = unpack_dual(apply(make_dual(x, constant({1})))).tangent;
    expect_values(tangent, {12});
    EXPECT_THROW(grad({tangent.sum()}, {x}), DerivativeNotImplemented);
  };
  check([](const Tensor& x) { return CubeWithJvp<true>::apply(x); });
  check([](const Tensor& x) { return CubeWithJvp<false>::apply(x); });
}

TEST(FunctionTangentRoads, ATangentOfATangentThatReadsASavedOneIsRefused) {
  const auto slope = [](const Tensor& x) {
    return autograd::functional::jvp([](const Tensor& t) { return CubeWithJvp<true>::apply(t); }, x,
                                     ones_like(x))
        .product;
  };
  expect_values(slope(constant({2})), {12});
  EXPECT_THROW(autograd::functional::jvp(slope, constant({2}), constant({1})),
               ForwardNotImplemented);
}

TEST(FunctionTangentRoads, ForwardModeWorksInsideAForward) {
  struct Slope : Function<Slope> {
    static Tensor forward(AutogradContext*, const Tensor& x) {
      const auto cube = [](const Tensor& t) { return t * t * t; };
      return autograd::functional::jvp(cube, x, ones_like(x)).product;
    }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0]}; }
  };
  expect_values(Slope::apply(constant({2, 3})), {12, 27});
}

/// x y with a jvp, whose backward keeps copies of both outside.
struct KeepsCopies : Function<KeepsCopies> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& y) {
    ctx->saved_data["x"] = x.clone();
    ctx->saved_data["y"] = y.clone();
    return x * y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * ctx->saved_data["y"].toTensor(), g[0] * ctx->saved_data["x"].toTensor()};
  }
  static variable_list jvp(AutogradContext* ctx, variable_list t) {
    return {t[0] * ctx->saved_data["y"].toTensor()};
  }
};

TEST(FunctionTangentRoads, ForwardOverReverseRefusesThemToo) {
  const Tensor leaf_x = leaf({3}), y = leaf({5});
  const autograd::forward_ad::DualLevelGuard level;
  const Tensor x = autograd::forward_ad::make_dual(leaf_x, constant({1}));
  const Tensor z = KeepsCopies::apply(x, y);
  expect_error<ForwardNotImplemented>("its tangent is not known",
                                      [&] { grad({z}, {y}, {}, true); });
}

}  // namespace
}  // namespace notape::testing
