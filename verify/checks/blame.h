// Blame: the reverse rule and the numeric slope differ; forward mode, as the third, says who stands
// alone. Ties are broken by dual numbers through the reference, and by the operator's own values.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// <J^T v, u> is `reverse`, the numeric slope `numeric`; they should be `radius` apart at most.
std::string blame(const Subject& subject, const Direction& u, Wide reverse, Wide numeric,
                  Wide radius);

}  // namespace notape::verify
