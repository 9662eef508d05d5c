// Branches: places that no row declares, found by following comparisons. Every comparison that the
// reference makes on dual numbers tells how far an entry must move for it to tie. There the value
// may have a kink or a jump, or the derivative a special case that nobody thought of.
#pragma once
#include "verify/checks/singular_places.h"

namespace notape::verify {

/// Places where comparisons of the reference tie as one of some entries moves. Declared kinks are
/// left out, and so are arguments that declare ties. Empty if the reference takes no dual numbers.
std::vector<Place> undeclared_places(const Subject& subject);

}  // namespace notape::verify
