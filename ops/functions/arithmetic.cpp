#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions arithmetic_functions([](Functions& f) {
  f("neg", neg, neg_, neg_out);
  f("abs", abs, abs_, abs_out);
  f("sign", sign, sign_, sign_out);
  f("sqrt", sqrt, sqrt_, sqrt_out);
  f("rsqrt", rsqrt, rsqrt_, rsqrt_out);
  f("reciprocal", reciprocal, reciprocal_, reciprocal_out);
  f("square", square, square_, square_out);
  f.of<Tensor(X, X, Scalar)>("add", add, add_, add_out);
  f.of<Tensor(X, Scalar, Scalar)>("add", add, add_);
  f.of<Tensor(X, X, Scalar)>("sub", sub, sub_, sub_out);
  f.of<Tensor(X, Scalar, Scalar)>("sub", sub, sub_);
  f.of<Tensor(X, Scalar)>("rsub", rsub);
  f.of<Tensor(X, Scalar, Scalar)>("rsub", rsub);
  f.of<Tensor(X, X, Scalar)>("rsub", rsub);
  f.of<Tensor(X, X)>("mul", mul, mul_, mul_out);
  f.of<Tensor(X, Scalar)>("mul", mul, mul_);
  f.of<Tensor(X, X)>("div", div, div_, div_out);
  f.of<Tensor(X, Scalar)>("div", div, div_);
  f.of<Tensor(X, X, Maybe<Text>)>("div", div, div_, div_out);
  f.of<Tensor(X, Scalar, Maybe<Text>)>("div", div, div_);
  f.of<Tensor(X, X)>("pow", pow, pow_, pow_out);
  f.of<Tensor(X, Scalar)>("pow", pow, pow_, pow_out);
  f.of<Tensor(Scalar, X)>("pow", pow, pow_out);
  f("hypot", hypot, hypot_, hypot_out);
  f.of<Tensor(X, X)>("remainder", remainder, remainder_, remainder_out);
  f.of<Tensor(X, Scalar)>("remainder", remainder, remainder_, remainder_out);
  f.of<Tensor(Scalar, X)>("remainder", remainder);
  f.of<Tensor(X, X)>("fmod", fmod, fmod_, fmod_out);
  f.of<Tensor(X, Scalar)>("fmod", fmod, fmod_, fmod_out);
  f.of<Tensor(X, X)>("copysign", copysign, copysign_, copysign_out);
  f.of<Tensor(X, Scalar)>("copysign", copysign, copysign_, copysign_out);
  f.of<Tensor(X, X)>("floor_divide", floor_divide, floor_divide_, floor_divide_out);
  f.of<Tensor(X, Scalar)>("floor_divide", floor_divide, floor_divide_);
  f.of<Tensor(X, X, X)>("lerp", lerp, lerp_, lerp_out);
  f.of<Tensor(X, X, Scalar)>("lerp", lerp, lerp_, lerp_out);
  f("addcmul", addcmul, addcmul_, addcmul_out);
  f("addcdiv", addcdiv, addcdiv_, addcdiv_out);
});

}  // namespace
}  // namespace notape::functions
