// Functions that are right for row-major inputs alone.
#include "verify/checks/structure_test_helper.h"

namespace notape::verify {
namespace {

using autograd::AutogradContext;
using autograd::Function;

/// Takes a dimension of stride 0 for one of size 1.
struct OfExpanded : Plain {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor y = Plain::forward(ctx, x);
    return x.stride(0) == 0 ? y * 2 : y;
  }
};

TEST(Layouts, OfInputsAreAllTried) {
  expect_only(check_square<OfExpanded>(), "layouts FAIL",
              "depends on the memory layout of the arguments (expanded: stride 0)");
}

/// 2 x v, whose derivative takes x for row-major or not.
template <bool kIsRight>
struct OfDenseX : Function<OfDenseX<kIsRight>> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& v) {
    ctx->save_for_backward({x, v});
    return x * v * 2;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const double two = kIsRight || saved[0].is_contiguous() ? 2 : 2.5;
    return {grads[0] * saved[1] * two, grads[0] * saved[0] * 2};
  }
};
template <bool kIsRight>
struct WithDenseX : Plain {
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {OfDenseX<kIsRight>::apply(ctx->get_saved_variables()[0], grads[0])};
  }
};

TEST(Layouts, OfInputsMatterAtTheSecondOrder) {
  const CheckOptions options{.order = 2, .forward_mode = false};
  const Tensor x = x23();
  expect_only(check_square<WithDenseX<false>>(x, options), "layouts FAIL",
              "the result or a gradient depends on the memory layout");
  EXPECT_FALSE(is_red(check_square<WithDenseX<true>>(x, options).verdict()));
}

}  // namespace
}  // namespace notape::verify
