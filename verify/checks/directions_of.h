// The directions along which one case is differentiated.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// All arguments at both scalings, each argument alone, and each entry alone if there are few, or
/// entries of alike gradients if some are very much smaller.
std::vector<Direction> directions_of(const Subject& subject);
/// All entries in steps of their own size, and a few entries alone. For where no entry alone meets
/// anything singular: steps of one size for all led out of the domain of the small ones.
std::vector<Direction> own_steps(const Subject& subject);
/// "argument 1 at [0, 2]", "argument 1", "all arguments", "some entries of argument 1"
std::string describe(const Direction& u, const Subject& subject);

}  // namespace notape::verify
