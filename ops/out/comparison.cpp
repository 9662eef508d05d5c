#include "ops/out/comparison.h"

#include "ops/comparison.h"
#include "ops/index.h"
#include "ops/out/detail/write_out.h"

namespace notape {

O eq_out(O out, X self, X other, At at) { return converted(out, at)(eq, self, other); }
O eq_out(O out, X self, Scalar other, At at) { return converted(out, at)(eq, self, other); }
O ne_out(O out, X self, X other, At at) { return converted(out, at)(ne, self, other); }
O ne_out(O out, X self, Scalar other, At at) { return converted(out, at)(ne, self, other); }
O lt_out(O out, X self, X other, At at) { return converted(out, at)(lt, self, other); }
O lt_out(O out, X self, Scalar other, At at) { return converted(out, at)(lt, self, other); }
O le_out(O out, X self, X other, At at) { return converted(out, at)(le, self, other); }
O le_out(O out, X self, Scalar other, At at) { return converted(out, at)(le, self, other); }
O gt_out(O out, X self, X other, At at) { return converted(out, at)(gt, self, other); }
O gt_out(O out, X self, Scalar other, At at) { return converted(out, at)(gt, self, other); }
O ge_out(O out, X self, X other, At at) { return converted(out, at)(ge, self, other); }
O ge_out(O out, X self, Scalar other, At at) { return converted(out, at)(ge, self, other); }
O logical_not_out(O out, X self, At at) { return converted(out, at)(logical_not, self); }
O logical_and_out(O out, X a, X b, At at) { return converted(out, at)(logical_and, a, b); }
O logical_or_out(O out, X a, X b, At at) { return converted(out, at)(logical_or, a, b); }
O logical_xor_out(O out, X a, X b, At at) { return converted(out, at)(logical_xor, a, b); }
O bitwise_and_out(O out, X a, X b, At at) { return converted(out, at)(bitwise_and, a, b); }
O bitwise_and_out(O out, X a, Scalar b, At at) { return converted(out, at)(bitwise_and, a, b); }
O bitwise_or_out(O out, X a, X b, At at) { return converted(out, at)(bitwise_or, a, b); }
O bitwise_or_out(O out, X a, Scalar b, At at) { return converted(out, at)(bitwise_or, a, b); }
O bitwise_xor_out(O out, X a, X b, At at) { return converted(out, at)(bitwise_xor, a, b); }
O bitwise_xor_out(O out, X a, Scalar b, At at) { return converted(out, at)(bitwise_xor, a, b); }
O bitwise_not_out(O out, X self, At at) { return exact(out, at)(bitwise_not, self); }
O isin_out(O out, X a, X b, bool c, bool d, At at) { return exact(out, at)(isin, a, b, c, d); }
O isin_out(O out, X a, Scalar b, bool c, bool d, At at) { return exact(out, at)(isin, a, b, c, d); }
O isin_out(O out, Scalar a, X b, bool c, bool d, At at) { return exact(out, at)(isin, a, b, c, d); }

}  // namespace notape
