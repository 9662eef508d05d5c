// float16 and bfloat16 are computed in float32 and rounded once.
#pragma once
#include "ops/core/allocate.h"
#include "ops/core/autocast.h"

namespace notape {

/// compute(inputs...), which gives a floating tensor, of inputs of 16 bits: in float32, rounded to
/// the first input's type. No graph.
template <typename Compute, typename... Inputs>
Tensor in_float32(const Compute& compute, const Tensor& first, const Inputs&... others) {
  const auto widened = [](const Tensor& input) {
    return input.defined() ? raw_convert(input, computed_in(input.dtype())) : input;
  };
  return raw_convert(compute(widened(first), widened(others)...), first.dtype());
}

/// The same for an operator whose result autocast may want in float32.
template <typename Compute, typename... Inputs>
Tensor in_float32(const Operation& op, const Compute& compute, const Tensor& first,
                  const Inputs&... others) {
  if (!autocast_keeps_float32(op, first)) [[likely]]
    return in_float32(compute, first, others...);
  return compute(raw_convert(first, kFloat32), raw_convert(others, kFloat32)...);
}

}  // namespace notape
