#include "verify/generate/drawn_case.h"

#include "autograd/tensor/generator.h"
#include "verify/generate/values.h"

namespace notape::verify {

ScalarType DrawnArgument::dtype(ScalarType real) const {
  switch (argument.kind) {
    case Argument::Kind::Real:
      return real;
    case Argument::Kind::Index:
      return kInt64;
    case Argument::Kind::Bool:
      break;
  }
  return kBool;
}

std::vector<Numbers> values_of(const DrawnCase& drawn) {
  std::vector<Numbers> values;
  for (const DrawnArgument& one : drawn.arguments) values.push_back(one.values);
  return values;
}

DrawnCase draw_case(const OpSpec& spec, ChoiceDraw& draw, ScalarType dtype) {
  DrawnCase result;
  result.key = draw.bits();
  result.op = spec.draw(draw);
  const auto distinct = draw_distinct(draw, result.op.arguments, dtype);
  for (std::size_t i = 0; i < result.op.arguments.size(); ++i) {
    DrawnArgument drawn{result.op.arguments[i], {}, draw_layout(draw)};
    if (drawn.argument.distinct) {
      drawn.values = distinct[i];
      // Equal values along a dimension would not be distinct.
      if (drawn.layout.kind == Layout::Kind::Expanded) drawn.layout = {};
    } else if (drawn.argument.fixed) {
      drawn.values = *drawn.argument.fixed;
      if (drawn.argument.kind == Argument::Kind::Real)
        for (double& value : drawn.values) value = round_to(value, dtype);
      if (drawn.layout.kind == Layout::Kind::Expanded) drawn.layout = {};
    } else {
      drawn.values = draw_values(draw, drawn.argument, dtype);
    }
    repeat_along(drawn.values, drawn.argument.sizes,
                 expanded_dim(drawn.layout, drawn.argument.sizes));
    result.arguments.push_back(std::move(drawn));
  }
  result.incoming = draw_layout(draw);
  // The case of an opaque function is the only one, and equal incoming gradients may have a zero
  // one: that of a standardisation. (strides has every layout.)
  if (!result.op.reference && result.incoming.kind == Layout::Kind::Expanded) result.incoming = {};
  return result;
}

uint32_t keyed_bits(uint32_t key, uint32_t stream, std::size_t index) {
  return philox(static_cast<uint64_t>(key) << 32 | stream, index / 4)[index % 4];
}

}  // namespace notape::verify
