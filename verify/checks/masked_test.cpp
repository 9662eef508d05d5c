// What skips zeros masks nothing: by the zero itself the slope is what was skipped, a NaN, too.
#include "verify/checks/structure_test_helper.h"

namespace notape::verify {
namespace {

using autograd::AutogradContext;
using autograd::Function;

/// The entries of w that are not 0 times those of v, added up, as one writes it who has many zeros.
struct SparseDot : Function<SparseDot> {
  static Tensor forward(AutogradContext* ctx, const Tensor& w, const Tensor& v) {
    ctx->save_for_backward({w, v});
    const auto weights = numbers_of(w), values = numbers_of(v);
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (weights[i] != 0) sum += weights[i] * values[i];
    return make_tensor({sum}, {}, w.dtype());
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    return {grads[0] * saved[1], grads[0] * saved[0]};
  }
};

/// x log y, 0 where x is.
struct XLogY : Function<XLogY> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& y) {
    ctx->save_for_backward({x, y});
    return where(x == 0, zeros_like(x), x * log(y));
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    return {grads[0] * log(saved[1]), grads[0] * saved[0] / saved[1]};
  }
};

/// The mean of the v whose weight is above a half, with a backward that multiplies by the mask.
struct MaskedMean : Function<MaskedMean> {
  static Tensor forward(AutogradContext* ctx, const Tensor& w, const Tensor& v,
                        const Tensor& scale) {
    ctx->save_for_backward({w, v, scale});
    return sum(where(w > 0.5, v, zeros_like(v))) * scale;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor mask = (saved[0] > 0.5).to(saved[1].dtype());
    return {zeros_like(saved[0]), grads[0] * saved[2] * mask, grads[0] * sum(mask * saved[1])};
  }
};

TEST(Masked, WhatSkipsZerosIsRight) {
  expect_right(
      tensor_function([](const Tensor& w, const Tensor& v) { return SparseDot::apply(w, v); }),
      {leaf({0.5, 0, -1}, {3}), leaf({1, 2, 3}, {3})});
  expect_right(tensor_function([](const Tensor& x, const Tensor& y) { return XLogY::apply(x, y); }),
               {leaf({0.5, 0, 0.25}, {3}), leaf({0.7, 2, 3}, {3})});
}

TEST(Masked, ANanThatAMaskMultipliesReachesTheScale) {
  const auto f = [](const Tensor& w, const Tensor& v, const Tensor& s) {
    return MaskedMean::apply(w, v, s);
  };
  expect_only(
      check(f, {leaf({1, 0, 0.75}, {3}), leaf({1, 2, 3}, {3}), leaf({1.5}, {})}, first_order()),
      "masked FAIL", "a NaN in argument 1 at [1]");
}

}  // namespace
}  // namespace notape::verify
