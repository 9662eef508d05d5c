#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions transcendental_functions([](Functions& f) {
  f("exp", exp, exp_, exp_out);
  f("log", log, log_, log_out);
  f("log1p", log1p, log1p_, log1p_out);
  f("sin", sin, sin_, sin_out);
  f("cos", cos, cos_, cos_out);
  f("tanh", tanh, tanh_, tanh_out);
  f("sigmoid", sigmoid, sigmoid_, sigmoid_out);
  f("erf", erf, erf_, erf_out);
  f("expm1", expm1, expm1_, expm1_out);
  f("exp2", exp2, exp2_, exp2_out);
  f("log2", log2, log2_, log2_out);
  f("log10", log10, log10_, log10_out);
  f("tan", tan, tan_, tan_out);
  f("asin", asin, asin_, asin_out);
  f("acos", acos, acos_, acos_out);
  f("atan", atan, atan_, atan_out);
  f("sinh", sinh, sinh_, sinh_out);
  f("cosh", cosh, cosh_, cosh_out);
  f("asinh", asinh, asinh_, asinh_out);
  f("acosh", acosh, acosh_, acosh_out);
  f("atanh", atanh, atanh_, atanh_out);
  f("erfc", erfc, erfc_, erfc_out);
  f("erfinv", erfinv, erfinv_, erfinv_out);
  f("sinc", sinc, sinc_, sinc_out);
  f("special_erfcx", special_erfcx, special_erfcx_out);
  f("polygamma", polygamma, polygamma_out);
  f("digamma", digamma, digamma_, digamma_out);
  f("lgamma", lgamma, lgamma_, lgamma_out);
  f("logit", logit, logit_, logit_out);
  f("atan2", atan2, atan2_, atan2_out);
  f("logaddexp", logaddexp, logaddexp_out);
  f("logaddexp2", logaddexp2, logaddexp2_out);
  f.of<Tensor(X, X)>("xlogy", xlogy, xlogy_, xlogy_out);
  f.of<Tensor(X, Scalar)>("xlogy", xlogy, xlogy_, xlogy_out);
  f.of<Tensor(Scalar, X)>("xlogy", xlogy, xlogy_out);
});

}  // namespace
}  // namespace notape::functions
