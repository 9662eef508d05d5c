// DrawnCase: one call of an operator with everything decided: shapes, parameters, values, layouts.
#pragma once
#include "verify/generate/layout.h"

namespace notape::verify {

struct DrawnArgument {
  Argument argument;
  Numbers values;
  Layout layout;

  bool is_real() const { return argument.kind == Argument::Kind::Real; }
  ScalarType dtype(ScalarType real) const;
};

struct DrawnCase {
  /// Keys everything that needs no shrinking: directions and the entries of incoming gradients.
  uint32_t key = 0;
  OpCase op;
  std::vector<DrawnArgument> arguments;
  Layout incoming;  ///< of the incoming gradient
};

/// Those of every argument.
std::vector<Numbers> values_of(const DrawnCase& drawn);

DrawnCase draw_case(const OpSpec& spec, ChoiceDraw& draw, ScalarType dtype);

/// Uniform 32 bits for (key, stream, index): no state, so any part can be drawn alone.
uint32_t keyed_bits(uint32_t key, uint32_t stream, std::size_t index);

}  // namespace notape::verify
