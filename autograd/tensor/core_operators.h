// CoreOperators: the operators that the core itself needs, to sum gradients, to cut and fill
// windows, to move values, and to look at them. ops/ implements them; the core uses no others.
#pragma once
#include "autograd/tensor/random_elements.h"
#include "autograd/tensor/tensor.h"

namespace notape {

struct CoreOperators {
  /// a + b, recorded in grad mode.
  Tensor (*add)(const Tensor& a, const Tensor& b);
  /// Adds into a buffer nobody else can see; equal shapes and dtypes.
  void (*add_into)(const Tensor& target, const Tensor& value);
  /// Sums over broadcast dimensions down to `sizes`.
  Tensor (*sum_to)(const Tensor& value, IntArrayRef sizes);
  Tensor (*expand_to)(const Tensor& value, IntArrayRef sizes);
  Tensor (*convert)(const Tensor& value, ScalarType dtype, Device device);
  /// A copy with the given strides of a dense tensor.
  Tensor (*clone)(const Tensor& value, IntArrayRef strides);
  /// Overwrites the elements of `target`, no graph, version or log involved.
  void (*copy_into)(const Tensor& target, const Tensor& value);

  /// The same values as a new view.
  Tensor (*alias)(const Tensor& value);
  /// The window `view` of a tensor that has the sizes of `base`; both geometries are over the same
  /// storage. Differentiable: its derivative is scatter, and the other way round.
  Tensor (*gather_window)(const Tensor& base_value, const Geometry& base, const Geometry& view);
  /// A tensor of the sizes of `base`: `value` added at the window, zero elsewhere.
  Tensor (*scatter_window)(const Tensor& value, const Geometry& base, const Geometry& view);
  /// `base_value` with `value` in place of the window (zeros if undefined). Reuses the buffer of
  /// `base_value` if nobody else can see it and nothing is recorded.
  Tensor (*replace_window)(Tensor base_value, const Geometry& base, const Geometry& view,
                           const Tensor& value);
  /// `base_value` with `value` added at the window, elements reached twice twice. Reuses the buffer
  /// as replace_window does. Never recorded.
  Tensor (*add_window)(Tensor base_value, const Geometry& base, const Geometry& view,
                       const Tensor& value);
  /// Equal shapes, joined along a new first dimension; the same elements in another shape.
  /// Recorded.
  Tensor (*stack)(const variable_list& values);
  Tensor (*reshape)(const Tensor& value, IntArrayRef sizes);
  /// `value` where the bool `mask` of the same shape holds, exactly 0 elsewhere. Recorded.
  Tensor (*select)(const Tensor& mask, const Tensor& value);
  /// Fills a row-major tensor, where it is, with elements of the stream's numbers; no graph.
  void (*draw)(const char* name, const Tensor& result, const RandomStream& stream,
               const RandomElements& elements);
  /// Whether an element is NaN.
  bool (*has_nan)(const Tensor& value);
};

/// Set once by ops/ before main; using it unset is impossible in a program that links an operator.
extern const CoreOperators* core_operators;

}  // namespace notape
