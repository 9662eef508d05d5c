// add_out(out, a, b) and the like: the result is written into `out`, which is resized to fit.
// LibTorch: never differentiable.
#include "autograd/modes/grad_mode.h"
#include "autograd/observer.h"
#include "autograd/warning.h"
#include "ops/elementwise/compute.h"
#include "ops/ops.h"

namespace notape {
namespace {

template <typename Operator>
Tensor& out_of(const char* name, const At& at, Tensor& out, const Tensor& self, const Tensor& other,
               Operator compute) {
  const Operation op(name, at);
  if (!out.defined()) op.fail<UndefinedTensor>("the out= tensor is undefined");
  const auto needs = [](const Tensor& one) { return one.defined() && one.requires_grad(); };
  if (GradMode::is_enabled() && (needs(out) || needs(self) || needs(other)))
    op.fail<OutRequiresGrad>(
        "functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad.");
  const NoGradGuard no_grad;
  const Tensor result = compute(self, other);
  check_result_fits(op, out, result.dtype(), {});
  if (!(out.sizes() == result.sizes())) {
    if (out.numel() != 0)
      warn_once("resized output",
                format_message("An output with one or more elements was resized since it had shape "
                               "{}, which does not match the required output shape {}. Resize it "
                               "to no elements first if that is what you want.",
                               {to_string(out.sizes()), to_string(result.sizes())}),
                at);
    out.resize_(result.sizes(), at);
  }
  return out.copy_(result, at);
}

}  // namespace

Tensor& add_out(Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha, At at) {
  return out_of("add_out", at, out, self, other,
                [&](const Tensor& a, const Tensor& b) { return add(a, b, alpha, at); });
}
Tensor& sub_out(Tensor& out, const Tensor& self, const Tensor& other, Scalar alpha, At at) {
  return out_of("sub_out", at, out, self, other,
                [&](const Tensor& a, const Tensor& b) { return sub(a, b, alpha, at); });
}
Tensor& mul_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("mul_out", at, out, self, other,
                [&](const Tensor& a, const Tensor& b) { return mul(a, b, at); });
}
Tensor& div_out(Tensor& out, const Tensor& self, const Tensor& other, At at) {
  return out_of("div_out", at, out, self, other,
                [&](const Tensor& a, const Tensor& b) { return div(a, b, at); });
}

}  // namespace notape
