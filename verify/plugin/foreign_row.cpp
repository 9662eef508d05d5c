// The row of an operator of version 2 of the C interface.
#include "verify/numeric/tolerance.h"
#include "verify/plugin/c_operator.h"
#include "verify/plugin/foreign_case.h"

namespace notape::verify {

namespace {

/// Differences of a reference in float32 have few digits, and its errors are no noise that could be
/// measured: derivatives may be off by what the operator's own type rounds.
void allow_for_reference(const Declaration& declaration, OpCase& one) {
  if (declaration.reference_dtype() != NOTAPE_FLOAT32) return;
  const ScalarType type = declaration.takes(NOTAPE_BFLOAT16) ? kBFloat16 : kFloat16;
  one.atol = epsilon_of(type);
  one.rtol = rounding_factor(type) * epsilon_of(type);
}

}  // namespace

OpSpec row_of(const notape_operator2& foreign) {
  const auto declaration = declaration_of(foreign);
  const auto draw_case = [declaration](Draw& draw) {
    const auto one = std::make_shared<ForeignCase>(draw_foreign_case(declaration, draw));
    OpCase result;
    result.label = one->label();
    result.arguments = arguments_of(*one, draw);
    result.call = ForeignCall{one};
    allow_for_reference(*declaration, result);
    return result;
  };
  OpSpec spec{.name = declaration->foreign.name,
              .family = "plugin",
              .draw = DrawOfWays{declaration->foreign.ways, declaration->foreign.dtypes,
                                 declaration->foreign.devices, draw_case}};
  spec.order = 1;
  spec.forward_mode = declaration->foreign.jvp != nullptr;
  spec.float32 = declaration->takes(NOTAPE_FLOAT32);
  return spec;
}

}  // namespace notape::verify
