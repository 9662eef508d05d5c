// float16 and bfloat16 are computed in float32 and rounded once.
#pragma once
#include "ops/core/allocate.h"

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

}  // namespace notape
