// An operator of one's own: swish(x) = x s, s = sigmoid(x);  d/dx = s + x s (1 - s)
#include <notape/notape.h>

struct Swish : notape::autograd::Function<Swish> {
  static notape::Tensor forward(notape::autograd::AutogradContext* ctx, const notape::Tensor& x) {
    ctx->save_for_backward({x});
    return x * notape::sigmoid(x);
  }
  static notape::variable_list backward(notape::autograd::AutogradContext* ctx,
                                        notape::variable_list grads) {
    const notape::Tensor x = ctx->get_saved_variables()[0], s = notape::sigmoid(x);
    return {grads[0] * (s + x * s * (1 - s))};
  }
  static notape::variable_list jvp(notape::autograd::AutogradContext* ctx,
                                   notape::variable_list tangents) {
    return backward(ctx, std::move(tangents));  // the Jacobian is diagonal
  }
};

inline notape::Tensor swish(const notape::Tensor& x) { return Swish::apply(x); }
