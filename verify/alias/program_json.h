// Programs as JSON, for other implementations of the rules to run: see compare_with_model.py.
#pragma once
#include <cstdio>

#include "verify/alias/trial.h"

namespace notape::verify::alias {

/// Prints `count` plain programs (Generator::run_plain), one object per line:
///   {"seed": "17", "statements": [{"do": "leaf", "out": 0, "values": [1, 2]}, ...],
///    "library": {"gradients": [[1, 3], ...]}}
/// or, in place of the gradients, {"error": "LeafInPlace", "statement": 4}: the first one. A view
/// names its cells as positions in the viewed vector.
void emit_programs(const Settings& settings, int64_t count, uint64_t seed, std::FILE* out);

}  // namespace notape::verify::alias
