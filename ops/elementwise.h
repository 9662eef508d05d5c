// Elementwise operators: y[i] = f(a[i], b[i], ...). Every function is also a member of Tensor,
// except where it says otherwise.
//
// Shapes: operands broadcast, and the result has the broadcast shape (ShapeError if there is none);
// each gradient is summed back to its operand's shape.
// Dtypes: operands promote as in LibTorch. Tensors with dimensions decide; 0-d ones and numbers
// count only if their category (bool < integer < floating) is higher. A float function of integers
// or bools gives float32.
// In place: a trailing underscore writes the result into the first argument, whose shape and dtype
// stay: ShapeError, or DtypeError if the result's category is higher. Writes also throw what every
// write does (LeafInPlace, MemoryOverlap and others: autograd/SEMANTICS.md, "Error catalogue").
// Numbers: arithmetic in integers refuses one beyond their range (ValueError; LibTorch's wraps),
// but uint8 takes -1 to -255; where a number is stored (where, masked_fill, lerp, a factor of add
// or addcmul) floating types refuse one, too, that would become infinite. What integers are
// computed to wraps around, and floating arithmetic has infinities. All throw UndefinedTensor;
// DeviceError for operands on two devices (0-d CPU tensors go anywhere); NoKernel where the device
// has no implementation. Derivatives at kinks and ties are the subgradient of least norm; `notape
// verify atlas` has all.
#pragma once
#include "ops/arithmetic.h"
#include "ops/comparison.h"
#include "ops/rounding.h"
#include "ops/selection.h"
#include "ops/transcendental.h"
