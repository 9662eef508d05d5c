// Rows that say no more than most do.
#pragma once
#include "ops/spec/op_spec.h"

namespace notape {

/// For RegisterOp: `const RegisterOp view_row(op_row("view", "shape", draw_view));`
inline OpSpec op_row(const char* name, const char* family, std::function<OpCase(Draw&)> draw,
                     Trait traits = Trait::None,
                     std::source_location at = std::source_location::current()) {
  return {.name = name, .family = family, .draw = std::move(draw), .traits = traits, .at = at};
}

}  // namespace notape
