// Functions of 113-bit numbers, by libquadmath, which users of references need not link.
#include <quadmath.h>

#include "ops/core/device_function.h"

namespace notape::math {

Wide exp(Wide x) { return expq(x); }
Wide log(Wide x) { return logq(x); }
Wide log1p(Wide x) { return log1pq(x); }
Wide sqrt(Wide x) { return sqrtq(x); }
Wide sin(Wide x) { return sinq(x); }
Wide cos(Wide x) { return cosq(x); }
Wide tanh(Wide x) { return tanhq(x); }
Wide erf(Wide x) { return erfq(x); }
Wide expm1(Wide x) { return expm1q(x); }
Wide exp2(Wide x) { return exp2q(x); }
Wide log2(Wide x) { return log2q(x); }
Wide log10(Wide x) { return log10q(x); }
Wide tan(Wide x) { return tanq(x); }
Wide asin(Wide x) { return asinq(x); }
Wide acos(Wide x) { return acosq(x); }
Wide atan(Wide x) { return atanq(x); }
Wide sinh(Wide x) { return sinhq(x); }
Wide cosh(Wide x) { return coshq(x); }
Wide asinh(Wide x) { return asinhq(x); }
Wide acosh(Wide x) { return acoshq(x); }
Wide atanh(Wide x) { return atanhq(x); }
Wide erfc(Wide x) { return erfcq(x); }
Wide floor(Wide x) { return floorq(x); }
Wide ceil(Wide x) { return ceilq(x); }
Wide rint(Wide x) { return rintq(x); }
Wide trunc(Wide x) { return truncq(x); }
Wide pow(Wide x, Wide y) { return powq(x, y); }
Wide atan2(Wide y, Wide x) { return atan2q(y, x); }
Wide hypot(Wide x, Wide y) { return hypotq(x, y); }
Wide fmod(Wide x, Wide y) { return fmodq(x, y); }
bool signbit(Wide x) { return signbitq(x) != 0; }
Wide abs(Wide x) { return fabsq(x); }

}  // namespace notape::math
