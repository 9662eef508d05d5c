// What is written with clamp and keeps less.
#pragma once
#include <optional>

#include "autograd/observer.h"
#include "autograd/tensor/tensor.h"

namespace notape {

/// clamp_() that keeps its result, which tells as much as the input that it overwrites, instead of
/// a copy of that: a later write to the result is an error at backward.
Tensor& clamp_keeping_result_(const Operation& op, Tensor& self, std::optional<Scalar> min,
                              std::optional<Scalar> max);

}  // namespace notape
