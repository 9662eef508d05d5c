// An operator of the C interface as a row of the registry: tensors become plain buffers, and
// what the functions do wrong (a refusal, a write outside a buffer, an entry left out) becomes an
// error or a NaN.
#pragma once
#include "ops/spec/op_spec.h"
#include "verify/plugin/c_abi.h"
#include "verify/plugin/foreign_error.h"

namespace notape::verify {

/// The row of `foreign`, which must outlive it: first order, opaque. Throws ForeignOperatorError if
/// the declaration makes no sense.
OpSpec row_of(const notape_operator& foreign);
/// The same for version 2 of the interface; what is declared is copied, its functions are not.
OpSpec row_of(const notape_operator2& foreign);

/// OpSpec::draw of such an operator: the first choice that it makes is the way.
struct DrawOfWays {
  int32_t ways;
  int32_t dtypes;   ///< codes of the interface
  int32_t devices;  ///< 0: the CPU
  std::function<OpCase(Draw&)> draw;
  OpCase operator()(Draw& choices) const { return draw(choices); }
};

/// How many ways the row has; 0 if it is no C operator.
int32_t ways_of(const OpSpec& row);
/// The types that it declares, the widest first; none if it is no C operator, and may take any.
std::optional<std::vector<ScalarType>> declared_dtypes(const OpSpec& row);
/// Whether it may be called there; a row of another kind says so itself.
bool runs_on(const OpSpec& row, Device device);

}  // namespace notape::verify
