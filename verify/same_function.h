// same_function: do two ways of writing a function agree, in value, gradient and second derivative?
// For fused operators against the composition they replace.
#pragma once
#include <rapidcheck/Gen.h>

#include "verify/gradcheck.h"

namespace notape::verify {

/// `f` against `g`, whose rounding noise is measured, at 30 random inputs; one certificate per
/// order (0, 1, 2). Inputs that do not require grad are constants.
Report same_function(const TensorFunction& f, const TensorFunction& g,
                     const rc::Gen<variable_list>& inputs);
template <typename F, typename G>
requires(!std::same_as<F, TensorFunction>) Report
    same_function(F f, G g, const rc::Gen<variable_list>& inputs) {
  return same_function(tensor_function(std::move(f)), tensor_function(std::move(g)), inputs);
}

}  // namespace notape::verify
