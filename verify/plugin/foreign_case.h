// ForeignCase: one way of calling an operator of version 2 of the C interface, with everything
// decided that is no tensor: shapes, attributes, and which output is unused.
#pragma once
#include "verify/numeric/wide_case.h"
#include "verify/plugin/declaration.h"
#include "verify/plugin/guarded_buffer.h"

namespace notape::verify {

struct ForeignCase {
  std::shared_ptr<const Declaration> declaration;
  int32_t way = 0;
  std::vector<notape_value> attributes;
  std::vector<notape_shape> inputs, outputs, saved;
  std::vector<notape_range> ranges;
  /// An output that goes nowhere, so that no gradient comes back to it; -1: all are used.
  int unused = -1;

  std::string label() const;
  bool is_used(std::size_t output) const { return static_cast<int>(output) != unused; }
};

/// Inputs that are longer or shorter than `shape` said, along dimensions of one size.
struct Stretch {
  int64_t from = 0, to = 0;
  int32_t dim = 0;  ///< the first of them
};
/// None if they are as said. Throws ForeignOperatorError if it is no stretch, or of a size of 1,
/// which may be there for another reason.
std::optional<Stretch> stretch_of(const std::vector<notape_shape>& said, const variable_list& x);
/// The same for a buffer beside the inputs, as far as can be guessed: its only dimension of that
/// size, or the one in the same place, or else none.
void stretch(notape_shape& shape, const Stretch& by);

/// Asks the plugin for a way and checks what it says. Throws ForeignOperatorError.
ForeignCase draw_foreign_case(const std::shared_ptr<const Declaration>& declaration, Draw& draw);
/// The arguments, with whole numbers drawn.
std::vector<Argument> arguments_of(const ForeignCase& one, Draw& draw);

/// Calls the operator; the outputs that are used come as one tensor. OpCase::call of such an
/// operator is a ForeignCall, which is how checks recognise it.
struct ForeignCall {
  std::shared_ptr<const ForeignCase> one;
  Tensor operator()(const variable_list& x) const;
};
/// The foreign case of `drawn`, null if it is of another kind.
const ForeignCase* foreign_case_of(const DrawnCase& drawn);

/// The reference at x: the real outputs that are used, one after another.
std::vector<long double> foreign_reference(const ForeignCase& one, const WideList& x);
/// What the declared surrogate makes of v, for the real outputs that are used: the gradients of the
/// real inputs, one after another.
std::vector<long double> foreign_surrogate(const ForeignCase& one, const WideList& x,
                                           const Numbers& v);
/// The reference's slope along u.
std::vector<long double> foreign_reference_slope(const ForeignCase& one, const WideList& x,
                                                 const Direction& u);

}  // namespace notape::verify
