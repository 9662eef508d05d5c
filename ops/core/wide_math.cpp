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
Wide pow(Wide x, Wide y) { return powq(x, y); }
Wide abs(Wide x) { return fabsq(x); }

}  // namespace notape::math
