// Comparisons, logic and bits.
#pragma once
#include "ops/at.h"

namespace notape {

/// Bools, converted to any dtype.
Tensor& eq_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& eq_out(Tensor& out, const Tensor& self, Scalar other, At at = At::current());
Tensor& ne_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& ne_out(Tensor& out, const Tensor& self, Scalar other, At at = At::current());
Tensor& lt_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& lt_out(Tensor& out, const Tensor& self, Scalar other, At at = At::current());
Tensor& le_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& le_out(Tensor& out, const Tensor& self, Scalar other, At at = At::current());
Tensor& gt_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& gt_out(Tensor& out, const Tensor& self, Scalar other, At at = At::current());
Tensor& ge_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& ge_out(Tensor& out, const Tensor& self, Scalar other, At at = At::current());
Tensor& logical_not_out(Tensor& out, const Tensor& self, At at = At::current());
Tensor& logical_and_out(Tensor& out, const Tensor& self, const Tensor& other,
                        At at = At::current());
Tensor& logical_or_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& logical_xor_out(Tensor& out, const Tensor& self, const Tensor& other,
                        At at = At::current());
/// Integers and bools, converted.
Tensor& bitwise_and_out(Tensor& out, const Tensor& self, const Tensor& other,
                        At at = At::current());
Tensor& bitwise_and_out(Tensor& out, const Tensor& self, Scalar other, At at = At::current());
Tensor& bitwise_or_out(Tensor& out, const Tensor& self, const Tensor& other, At at = At::current());
Tensor& bitwise_or_out(Tensor& out, const Tensor& self, Scalar other, At at = At::current());
Tensor& bitwise_xor_out(Tensor& out, const Tensor& self, const Tensor& other,
                        At at = At::current());
Tensor& bitwise_xor_out(Tensor& out, const Tensor& self, Scalar other, At at = At::current());
/// Of self's dtype, exactly.
Tensor& bitwise_not_out(Tensor& out, const Tensor& self, At at = At::current());
/// Bools, into bools alone.
Tensor& isin_out(Tensor& out, const Tensor& elements, const Tensor& test_elements,
                 bool assume_unique = false, bool invert = false, At at = At::current());
Tensor& isin_out(Tensor& out, const Tensor& elements, Scalar test_element,
                 bool assume_unique = false, bool invert = false, At at = At::current());
Tensor& isin_out(Tensor& out, Scalar element, const Tensor& test_elements,
                 bool assume_unique = false, bool invert = false, At at = At::current());

}  // namespace notape
