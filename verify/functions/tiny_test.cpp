// The autograd of 150 lines, certified as a user's function is.
#include "autograd/tiny/tiny.h"

#include "verify/functions/gradcheck_test_helper.h"

namespace notape::verify {
namespace {

/// The `order`-th derivatives of the entries of a program.
tiny::Values derivative(const tiny::Values& at, int64_t order) {
  const tiny::Variable x(at, true);
  tiny::Variable y = tanh(x * x) * x;
  y.add_(tanh(x));
  for (tiny::Variable result = y * y + x; true; result = x.grad()) {
    x.node()->sum.reset();  // a gradient with a graph would keep its leaf alive
    if (order-- == 0) return result.values();
    result.backward(/*create_graph=*/true);
  }
}

struct ByTiny : autograd::Function<ByTiny> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x, int64_t order) {
    ctx->save_for_backward({x});
    ctx->saved_data["order"] = order;
    const Tensor dense = x.contiguous();
    const double* first = dense.const_data_ptr<double>();
    const tiny::Values values(first, first + dense.numel());
    return tensor(derivative(values, order), x.options()).reshape(x.sizes());
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    const int64_t order = ctx->saved_data["order"].toInt();
    return {grads[0] * apply(ctx->get_saved_variables()[0], order + 1), Tensor()};
  }
};

TEST(TinyAutograd, IsCertifiedToTheThirdOrder) {
  const Report report = check([](const Tensor& x) { return ByTiny::apply(x, int64_t{0}); },
                              {leaf({0.4, -0.9, 1.3}, {3})}, {.order = 3, .forward_mode = false});
  EXPECT_TRUE(report.ok()) << report.text();
  EXPECT_LT(report.detectable(), 1e-6);
}

}  // namespace
}  // namespace notape::verify
