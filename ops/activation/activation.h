// What an activation's file builds on: elementwise operators (ops/elementwise/operator.h) of
// floating tensors, with parameters.
#pragma once
#include "ops/elementwise/operator.h"
#include "ops/elementwise/vector_loop.h"
#ifndef __CUDACC__
#include "ops/activation.h"
#include "ops/core/composite.h"
#include "ops/elementwise/check_floating.h"
#include "ops/spec/row.h"
#include "ops/spec/without_tails.h"

namespace notape {

/// Parameters that are stored in self's dtype.
inline void check_parameters(const Operation& op, const Tensor& self,
                             std::initializer_list<Scalar> parameters) {
  check_floating_operand(op, self);
  for (const Scalar parameter : parameters) check_fits(op, parameter, self.dtype());
}

template <typename Call, typename CallInPlace, typename F>
OpCase activation_case(Draw& draw, std::string label, Domain domain, Call call,
                       CallInPlace call_in_place, F reference) {
  OpCase one;
  one.label = std::move(label);
  one.arguments = {{.sizes = draw.shape(0, 4), .domain = std::move(domain)}};
  one.call = [call](const variable_list& x) { return call(x[0]); };
  if constexpr (!std::is_null_pointer_v<CallInPlace>)
    one.call_in_place = [call_in_place](variable_list& x) { call_in_place(x[0]); };
  one.reference = elementwise_reference(reference);
  return one;
}

}  // namespace notape
#endif
