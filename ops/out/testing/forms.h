// The table of all out forms, each beside its function, and the arguments they are called with.
#pragma once
#include <functional>
#include <string>

#include "autograd/tensor/factories.h"
#include "ops/ops.h"
#include "ops/out.h"

namespace notape::testing {

struct OutForm {
  std::string name;                                    ///< "exp_out"
  variable_list (*results)();                          ///< of the function
  std::vector<const Tensor*> (*into)(variable_list&);  ///< the form; what it returned
};
/// In order of their names.
const std::vector<OutForm>& out_forms();

struct RegisterForms {
  RegisterForms(std::initializer_list<OutForm> forms);
};

inline variable_list list(const Tensor& one) { return {one}; }
template <typename... Tensors>
variable_list list(const std::tuple<Tensors...>& all) {
  return std::apply([](const auto&... one) { return variable_list{one...}; }, all);
}
inline std::vector<const Tensor*> whose(const Tensor& out) { return {&out}; }
template <typename... Tensors>
std::vector<const Tensor*> whose(const std::tuple<Tensors&...>& all) {
  return std::apply([](const auto&... one) { return std::vector<const Tensor*>{&one...}; }, all);
}

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
