// DeclaredCall: OpCase::call of an operator that says something of itself beside its value. Checks
// recognise it by its type.
#pragma once
#include "autograd/language.h"  // first

#include <functional>

#include "autograd/tensor/tensor.h"

namespace notape::verify {

/// A gradient that is declared to be something else than the derivative, as those of
/// straight-through estimators and of quantisation are: backward is judged by it, entry by entry,
/// and not by differences of values. From the arguments and the incoming gradient, both in float64,
/// the gradient of every argument; undefined for whole ones.
using Surrogate = std::function<variable_list(const variable_list& x, const Tensor& incoming)>;

/// In a row: `one.call = verify::DeclaredCall{.call = fake_quantize, .surrogate =
///   [](const variable_list& x, const Tensor& g) { return variable_list{g * (abs(x[0]) <= 1)}; }};`
struct DeclaredCall {
  std::function<Tensor(const variable_list&)> call;
  Surrogate surrogate = {};
  /// Equal calls may differ by as much as sums of so many terms do that are added in another order
  /// (atomic adds); 0: they give equal bits.
  int64_t atomic_terms = 0;
  Tensor operator()(const variable_list& x) const { return call(x); }
};

}  // namespace notape::verify
