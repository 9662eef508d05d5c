// The row of an operator of version 2 of the C interface.
#include "verify/plugin/c_operator.h"
#include "verify/plugin/foreign_case.h"

namespace notape::verify {

OpSpec row_of(const notape_operator2& foreign) {
  const auto declaration = declaration_of(foreign);
  const auto draw_case = [declaration](Draw& draw) {
    const auto one = std::make_shared<ForeignCase>(draw_foreign_case(declaration, draw));
    OpCase result;
    result.label = one->label();
    result.arguments = arguments_of(*one, draw);
    result.call = ForeignCall{one};
    return result;
  };
  OpSpec spec{
      .name = foreign.name, .family = "plugin", .draw = DrawOfWays{foreign.ways, draw_case}};
  spec.order = 1;
  spec.forward_mode = foreign.jvp != nullptr;
  spec.float32 = (foreign.dtypes & NOTAPE_FLOAT32) != 0;
  return spec;
}

}  // namespace notape::verify
