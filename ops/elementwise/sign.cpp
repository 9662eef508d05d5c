// sign(x) = -1, 0 or 1,  d/dx = 0
#include "ops/elementwise/operator.h"
#ifndef __CUDACC__
#include "autograd/tensor/factories.h"
#endif

namespace notape {
namespace {

struct Sign {
  static constexpr TypeSet types = kAllTypes;
  template <typename T>
  NOTAPE_HD T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>)
      return x != T(0);
    else
      return static_cast<T>((x > T(0)) - (x < T(0)));
  }
};
const ElementwiseKernel<Sign> sign_kernel("sign");

}  // namespace

#ifndef __CUDACC__
constexpr UnaryOperator kSign(sign_kernel, "SignBackward0",
                              elementwise([](const Tensor& grad) { return zeros_like(grad); }));

const RegisterOp sign_row(unary_spec<Sign>("sign", sign, sign_,
                                           {.low = -3, .high = 3, .kinks = {0}}));

Tensor sign(const Tensor& self, At at) { return kSign({"sign", at}, self); }
Tensor& sign_(Tensor& self, At at) { return kSign.in_place({"sign_", at}, self); }

Tensor ElementwiseMembers::sign(At at) const { return notape::sign(self(), at); }
Tensor& ElementwiseMembers::sign_(At at) const { return notape::sign_(self(), at); }
#endif

}  // namespace notape
