#include <notape/verify.h>

#include <iostream>

#include "swish.h"

using namespace notape;

/// Its gradient misses the factor x, as a tired author's would.
struct WrongSwish : autograd::Function<WrongSwish> {
  static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x) {
    return Swish::forward(ctx, x);
  }
  static variable_list backward(autograd::AutogradContext* ctx, variable_list grads) {
    const Tensor s = sigmoid(ctx->get_saved_variables()[0]);
    return {grads[0] * (s + s * (1 - s))};
  }
};

int main() {
  const Tensor x = tensor({0.5, -1.5, 3.0}, dtype(kFloat64).requires_grad(true));
  const verify::Report right = verify::check(swish, {x});
  const verify::Report wrong =
      verify::check([](const Tensor& t) { return WrongSwish::apply(t); }, {x});
  std::cout << right.text() << wrong.text();
  return right.ok() && wrong.verdict() == verify::Verdict::Fail ? 0 : 1;
}
