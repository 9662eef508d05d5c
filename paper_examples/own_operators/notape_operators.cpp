// Operators written with notape, in a shared library of their own: `notape verify
// plugin:libnotape_operators.so` checks them with everything built-in operators go through. One is
// right. The other has a right gradient that forgets its own history: its second derivative, which
// a gradient penalty or a Hessian would use, is silently 0 in part.
#include <notape/notape.h>

#include "ops/spec/plain.h"
#include "verify/plugin/plugin.h"

namespace {

using notape::Tensor;
using notape::variable_list;
using notape::autograd::AutogradContext;

/// swish(x) = x s, s = sigmoid(x);  d/dx = s + swish(x) (1 - s)
struct Swish : notape::autograd::Function<Swish> {
  static constexpr auto at = std::source_location::current();  // where reports point to
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x * notape::sigmoid(x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    const Tensor s = notape::sigmoid(x);
    return {grads[0] * (s + x * s * (1 - s))};
  }
  static variable_list jvp(AutogradContext* ctx, variable_list tangents) {
    return backward(ctx, std::move(tangents));
  }
};

/// The same, but for one call to detach().
struct SwishDetached : notape::autograd::Function<SwishDetached> {
  static constexpr auto at = std::source_location::current();
  static Tensor forward(AutogradContext* ctx, const Tensor& x) { return Swish::forward(ctx, x); }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    const Tensor s = notape::sigmoid(x.detach());
    return {grads[0] * (s + x * s * (1 - s))};
  }
  static variable_list jvp(AutogradContext* ctx, variable_list tangents) {
    return Swish::backward(ctx, std::move(tangents));
  }
};

/// What swish computes, for numbers of any kind: judged by it, swish is held to what built-in
/// operators are held to, its value included.
constexpr auto swish_formula = []<typename T>(T x) { return x / (T(1) + notape::math::exp(-x)); };

/// A tensor of up to three dimensions, with entries in [-8, 8].
template <typename F>
notape::OpCase any_tensor(notape::Draw& draw) {
  notape::OpCase one;
  one.arguments = {{.sizes = draw.shape(0, 3), .domain = {.low = -8, .high = 8}}};
  one.call = [](const variable_list& x) { return F::apply(x[0]); };
  return one;
}

notape::OpCase swish_case(notape::Draw& draw) {
  notape::OpCase one = any_tensor<Swish>(draw);
  one.reference = notape::elementwise_reference(swish_formula);
  return one;
}

const notape::OpSpec rows[] = {
    {.name = "swish", .family = "own", .draw = swish_case, .at = Swish::at},
    {.name = "swish_detached",
     .family = "own",
     .draw = any_tensor<SwishDetached>,
     .at = SwishDetached::at},
};

}  // namespace

extern "C" const notape_plugin* notape_plugin_v1() {
  static const notape_plugin plugin = notape::verify::plugin_of(rows);
  return &plugin;
}
