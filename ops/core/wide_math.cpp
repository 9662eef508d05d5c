// Functions of 113-bit numbers, by libquadmath, which users of references need not link.
#include <quadmath.h>

#include "ops/core/device_function.h"

namespace notape::math {

#define NOTAPE_FUNCTION(name, ...) \
  Wide name(Wide x) { return name##q(x); }
#include "ops/core/math_functions.h"

Wide sqrt(Wide x) { return sqrtq(x); }
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
