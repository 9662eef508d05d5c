// The in-place form of an operator that is put together from others.
#pragma once
#include "autograd/graph/record.h"
#include "autograd/tensor/factories.h"
#include "ops/core/allocate.h"
#include "ops/core/one_device.h"

namespace notape {

/// Writes `result` over `self`, whose old value has no gradient but through the result: that is
/// made of a copy of self, since what was saved of self itself would be written over. The result
/// has self's shape; without a derivative it may have another dtype, and is converted.
inline Tensor& overwrite(const Operation& op, Tensor& self, const Tensor& result) {
  check_on_one_device(op, {&self, &result});
  static constexpr auto kDerivative =
      derivative("CopyBackwards",
                 rule([](const Tensor&) { return Tensor(); },
                      [](const Tensor& tangent) { return zeros_like(tangent); }),
                 elementwise([](const Tensor& grad) { return grad; }));
  write_in_place(
      kDerivative, op, self, [&] { raw_copy(self, result); }, NoParameters{}, self, result);
  return self;
}

}  // namespace notape
