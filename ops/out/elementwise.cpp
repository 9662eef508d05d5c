#include "ops/out/elementwise.h"

#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/out/detail/write_out.h"
#include "ops/rounding.h"
#include "ops/selection.h"
#include "ops/transcendental.h"

namespace notape {

O exp_out(O out, X self, At at) { return converted(out, at)(exp, self); }
O exp2_out(O out, X self, At at) { return converted(out, at)(exp2, self); }
O expm1_out(O out, X self, At at) { return converted(out, at)(expm1, self); }
O log_out(O out, X self, At at) { return converted(out, at)(log, self); }
O log10_out(O out, X self, At at) { return converted(out, at)(log10, self); }
O log1p_out(O out, X self, At at) { return converted(out, at)(log1p, self); }
O log2_out(O out, X self, At at) { return converted(out, at)(log2, self); }
O sqrt_out(O out, X self, At at) { return converted(out, at)(sqrt, self); }
O rsqrt_out(O out, X self, At at) { return converted(out, at)(rsqrt, self); }
O reciprocal_out(O out, X self, At at) { return converted(out, at)(reciprocal, self); }
O sin_out(O out, X self, At at) { return converted(out, at)(sin, self); }
O cos_out(O out, X self, At at) { return converted(out, at)(cos, self); }
O tan_out(O out, X self, At at) { return converted(out, at)(tan, self); }
O asin_out(O out, X self, At at) { return converted(out, at)(asin, self); }
O acos_out(O out, X self, At at) { return converted(out, at)(acos, self); }
O atan_out(O out, X self, At at) { return converted(out, at)(atan, self); }
O sinh_out(O out, X self, At at) { return converted(out, at)(sinh, self); }
O cosh_out(O out, X self, At at) { return converted(out, at)(cosh, self); }
O tanh_out(O out, X self, At at) { return converted(out, at)(tanh, self); }
O asinh_out(O out, X self, At at) { return converted(out, at)(asinh, self); }
O acosh_out(O out, X self, At at) { return converted(out, at)(acosh, self); }
O atanh_out(O out, X self, At at) { return converted(out, at)(atanh, self); }
O erf_out(O out, X self, At at) { return converted(out, at)(erf, self); }
O erfc_out(O out, X self, At at) { return converted(out, at)(erfc, self); }
O erfinv_out(O out, X self, At at) { return converted(out, at)(erfinv, self); }
O sigmoid_out(O out, X self, At at) { return converted(out, at)(sigmoid, self); }
O sinc_out(O out, X self, At at) { return converted(out, at)(sinc, self); }
O special_erfcx_out(O out, X self, At at) { return converted(out, at)(special_erfcx, self); }
O polygamma_out(O out, I n, X self, At at) { return converted(out, at)(polygamma, n, self); }
O digamma_out(O out, X self, At at) { return converted(out, at)(digamma, self); }
O lgamma_out(O out, X self, At at) { return converted(out, at)(lgamma, self); }
O logit_out(O out, X a, Maybe<double> b, At at) { return converted(out, at)(logit, a, b); }
O neg_out(O out, X self, At at) { return exact(out, at)(neg, self); }
O square_out(O out, X self, At at) { return converted(out, at)(square, self); }
O abs_out(O out, X self, At at) { return exact(out, at)(abs, self); }
O ceil_out(O out, X self, At at) { return exact(out, at)(ceil, self); }
O floor_out(O out, X self, At at) { return exact(out, at)(floor, self); }
O trunc_out(O out, X self, At at) { return exact(out, at)(trunc, self); }
O frac_out(O out, X self, At at) { return exact(out, at)(frac, self); }
O round_out(O out, X self, At at) { return exact(out, at)(round, self); }
O round_out(O out, X self, I decimals, At at) { return exact(out, at)(round, self, decimals); }
O nan_to_num_out(O out, X self, Maybe<double> nan, Maybe<double> posinf, Maybe<double> neginf,
                 At at) {
  return exact(out, at)(nan_to_num, self, nan, posinf, neginf);
}
O sign_out(O out, X self, At at) { return exact(out, at)(sign, self); }
O signbit_out(O out, X self, At at) { return exact(out, at)(signbit, self); }
O clamp_out(O out, X self, Maybe<Scalar> min, Maybe<Scalar> max, At at) {
  return exact(out, at)(clamp, self, min, max);
}
O clip_out(O out, X self, Maybe<Scalar> min, Maybe<Scalar> max, At at) {
  return exact(out, at)(clip, self, min, max);
}
O clamp_out(O out, X a, X b, X c, At at) { return converted(out, at)(clamp, a, b, c); }
O clip_out(O out, X self, X min, X max, At at) { return converted(out, at)(clip, self, min, max); }
O clamp_min_out(O out, X self, Scalar min, At at) { return exact(out, at)(clamp_min, self, min); }
O clamp_min_out(O out, X self, X min, At at) { return converted(out, at)(clamp_min, self, min); }
O clamp_max_out(O out, X self, Scalar max, At at) { return exact(out, at)(clamp_max, self, max); }
O clamp_max_out(O out, X self, X max, At at) { return converted(out, at)(clamp_max, self, max); }

}  // namespace notape
