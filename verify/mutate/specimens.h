// Specimens: right operators beside the registry's, each the place for a mistake that none of those
// has room for.
#pragma once
#include "verify/runner/runner.h"

namespace notape::verify::mutate {

/// By name.
const SpecList& specimens();

}  // namespace notape::verify::mutate
