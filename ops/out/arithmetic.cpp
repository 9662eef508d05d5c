#include "ops/out/arithmetic.h"

#include "ops/arithmetic.h"
#include "ops/out/detail/write_out.h"
#include "ops/selection.h"
#include "ops/transcendental.h"

namespace notape {

O add_out(O out, X a, X b, Scalar c, At at) { return converted(out, at)(add, a, b, c); }
O sub_out(O out, X a, X b, Scalar c, At at) { return converted(out, at)(sub, a, b, c); }
O mul_out(O out, X self, X other, At at) { return converted(out, at)(mul, self, other); }
O div_out(O out, X self, X other, At at) { return converted(out, at)(div, self, other); }
O div_out(O out, X a, X b, Maybe<Text> c, At at) { return converted(out, at)(div, a, b, c); }
O floor_divide_out(O out, X a, X b, At at) { return converted(out, at)(floor_divide, a, b); }
O remainder_out(O out, X a, X b, At at) { return converted(out, at)(remainder, a, b); }
O remainder_out(O out, X a, Scalar b, At at) { return converted(out, at)(remainder, a, b); }
O fmod_out(O out, X self, X other, At at) { return converted(out, at)(fmod, self, other); }
O fmod_out(O out, X self, Scalar other, At at) { return converted(out, at)(fmod, self, other); }
O pow_out(O out, X self, X exponent, At at) { return converted(out, at)(pow, self, exponent); }
O pow_out(O out, X self, Scalar exponent, At at) { return converted(out, at)(pow, self, exponent); }
O pow_out(O out, Scalar self, X exponent, At at) { return converted(out, at)(pow, self, exponent); }
O maximum_out(O out, X self, X other, At at) { return converted(out, at)(maximum, self, other); }
O minimum_out(O out, X self, X other, At at) { return converted(out, at)(minimum, self, other); }
O fmax_out(O out, X self, X other, At at) { return converted(out, at)(fmax, self, other); }
O fmin_out(O out, X self, X other, At at) { return converted(out, at)(fmin, self, other); }
O atan2_out(O out, X self, X other, At at) { return converted(out, at)(atan2, self, other); }
O hypot_out(O out, X self, X other, At at) { return converted(out, at)(hypot, self, other); }
O logaddexp_out(O out, X a, X b, At at) { return converted(out, at)(logaddexp, a, b); }
O logaddexp2_out(O out, X a, X b, At at) { return converted(out, at)(logaddexp2, a, b); }
O copysign_out(O out, X self, X other, At at) { return converted(out, at)(copysign, self, other); }
O copysign_out(O out, X a, Scalar b, At at) { return converted(out, at)(copysign, a, b); }
O xlogy_out(O out, X self, X other, At at) { return converted(out, at)(xlogy, self, other); }
O xlogy_out(O out, X self, Scalar other, At at) { return converted(out, at)(xlogy, self, other); }
O xlogy_out(O out, Scalar self, X other, At at) { return converted(out, at)(xlogy, self, other); }
O addcmul_out(O out, X self, X tensor1, X tensor2, Scalar value, At at) {
  return converted(out, at)(addcmul, self, tensor1, tensor2, value);
}
O addcdiv_out(O out, X self, X tensor1, X tensor2, Scalar value, At at) {
  return converted(out, at)(addcdiv, self, tensor1, tensor2, value);
}
O lerp_out(O out, X self, X end, X weight, At at) {
  return into(exact_unless_number(weight), out, at)(lerp, self, end, weight);
}
O lerp_out(O out, X a, X b, Scalar c, At at) { return converted(out, at)(lerp, a, b, c); }
O where_out(O out, X a, X b, X c, At at) { return exact(out, at)(where, a, b, c); }

}  // namespace notape
