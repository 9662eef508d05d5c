// All out forms, and the arguments that they and their functions are called with.
#pragma once
#include <string>

#include "autograd/tensor/factories.h"
#include "ops/functions/functions.h"

namespace notape::testing {

struct OutForm {
  std::string name;             ///< "exp_out"
  functions::Values arguments;  ///< after the outs; what is left out is none
  /// What the function returns, where that is not in the lists of ops/functions/.
  variable_list (*made)() = nullptr;

  variable_list results() const;
  /// Calls the form; what it returned.
  variable_list into(const variable_list& outs) const;
  const functions::Overload& overload() const;
};
/// A row for each form of the lists, in order of their names: that of a file beside this, or if all
/// its parameters are tensors and numbers, x(), y(), x() and 0.3. empty_out has none: it writes
/// nothing.
const std::vector<OutForm>& out_forms();

struct RegisterForms {
  explicit RegisterForms(std::vector<OutForm> (*forms)());
};

using List = functions::Value::List;
using Sizes = functions::Value::Integers;

Tensor x();                ///< 3 x 4, distinct, in (0, 1), float64 as all of the first
Tensor y();                ///< the same in another order
Tensor definite();         ///< 3 x 3, symmetric, positive definite
Tensor stacked();          ///< 2 x 3 x 4
Tensor image();            ///< 1 x 2 x 4 x 4
Tensor volume();           ///< 1 x 1 x 4 x 4 x 4
Tensor ladder();           ///< 5 numbers that rise
Tensor n();                ///< 3 x 4, int64, 1 to 6
Tensor m();                ///< the same in another order
Tensor flags();            ///< 3 x 4, bool
Tensor positions();        ///< 0, 2, 1
Tensor places();           ///< 3 x 4, int64, 0 to 2
Tensor distinct_pixels();  ///< 1 x 2 x 4 x 4, int64, 0 to 15 in each plane
Tensor distinct_places();  ///< the same, each column a permutation

}  // namespace notape::testing
