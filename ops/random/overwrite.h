// In-place operators that overwrite a tensor with numbers drawn for it.
#pragma once
#include "ops/core/allocate.h"
#include "ops/random/draw_elements.h"

namespace notape {

/// Puts `drawn`, of self's shape, into self: the old value gets no gradient, nor do parameters.
Tensor& overwrite_with(const Operation& op, Tensor& self, const Tensor& drawn);
/// Elements of self's type and on its device, into self.
Tensor& overwrite_drawn(const Operation& op, Tensor& self, const RandomElements& elements);

/// Throws, before a number is drawn, what write_in_place would throw after it: UndefinedTensor,
/// BatchingNotImplemented, and where self must not be written (check_write).
void check_to_overwrite(const Operation& op, const Tensor& self);
/// Throws DtypeError for integers.
void check_floating(const Operation& op, const Tensor& tensor);

}  // namespace notape
