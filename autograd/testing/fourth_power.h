// A user function that keeps a value for its backward on a path that the test chooses.
#pragma once
#include <any>

#include "autograd/function.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {

/// Tensors that a function keeps outside of its context.
using Outside = std::shared_ptr<TensorList>;

/// How forward keeps t = x^2 and how backward finds it again.
struct Road {
  std::string name;
  /// Returns what save_for_backward is to have.
  std::function<TensorList(autograd::AutogradContext*, const Tensor& x, TensorList& outside)> keep;
  std::function<Tensor(autograd::AutogradContext*, const TensorList& saved,
                       const TensorList& outside)>
      find;
};

/// x^4 with the derivative 4 x t.
struct FourthPower : autograd::Function<FourthPower> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x, const Road* road,
                        const Outside& outside) {
    TensorList saved = {x};
    for (const Tensor& kept : road->keep(ctx, x, *outside)) saved.push_back(kept);
    ctx->save_for_backward(saved);
    ctx->saved_data["road"] = road;
    ctx->saved_data["outside"] = outside;
    return x.square().square();
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list g) {
    const auto* road = std::any_cast<const Road*>(ctx->saved_data["road"]);
    const Outside outside = std::any_cast<Outside>(ctx->saved_data["outside"]);
    TensorList saved = ctx->get_saved_variables();
    const Tensor x = saved[0];
    saved.erase(saved.begin());
    return {g[0] * 4 * x * road->find(ctx, saved, *outside), Tensor(), Tensor()};
  }
};

inline Tensor first_saved(autograd::AutogradContext*, const TensorList& saved, const TensorList&) {
  return saved.at(0);
}
inline Tensor first_outside(autograd::AutogradContext*, const TensorList&,
                            const TensorList& outside) {
  return outside.at(0);
}

/// A path through save_for_backward.
inline Road saves(const char* name, std::function<Tensor(const Tensor& x)> value) {
  return {name,
          [=](autograd::AutogradContext*, const Tensor& x, TensorList&) {
            return TensorList{value(x)};
          },
          first_saved};
}
/// The same value kept outside.
inline Road keeps(const char* name, std::function<Tensor(const Tensor& x)> value) {
  return {std::string("outside: ") + name,
          [=](autograd::AutogradContext*, const Tensor& x, TensorList& outside) {
            outside.push_back(value(x));
            return TensorList();
          },
          first_outside};
}
inline Road by_data(const char* name, std::function<Tensor(const Tensor& x)> value) {
  return {std::string("saved_data: ") + name,
          [=](autograd::AutogradContext* ctx, const Tensor& x, TensorList&) {
            ctx->saved_data["t"] = value(x);
            return TensorList();
          },
          [](autograd::AutogradContext* ctx, const TensorList&, const TensorList&) {
            return ctx->saved_data["t"].toTensor();
          }};
}

/// The gradient of the sum at x = [2, 3], which is right, as a function of x.
inline Tensor first_derivative(const Road& road, const Tensor& x) {
  const Tensor y = FourthPower::apply(x, &road, std::make_shared<TensorList>());
  Tensor once = autograd::grad({y.sum()}, {x}, {}, true, true)[0];
  expect_values(once, {32, 108});
  return once;
}

}  // namespace notape::testing
