// Comparisons and logic: bool tensors of the broadcast shape, compared in the promoted dtype; no
// derivative. A number beyond the range of the integers that it is compared with gives the right
// answer. NaN equals nothing. Errors as in elementwise.h.
#pragma once
#include "ops/at.h"

namespace notape {

Tensor eq(const Tensor& self, const Tensor& other, At at = At::current());
Tensor ne(const Tensor& self, const Tensor& other, At at = At::current());
Tensor lt(const Tensor& self, const Tensor& other, At at = At::current());
Tensor le(const Tensor& self, const Tensor& other, At at = At::current());
Tensor gt(const Tensor& self, const Tensor& other, At at = At::current());
Tensor ge(const Tensor& self, const Tensor& other, At at = At::current());
Tensor eq(const Tensor& self, Scalar other, At at = At::current());
Tensor ne(const Tensor& self, Scalar other, At at = At::current());
Tensor lt(const Tensor& self, Scalar other, At at = At::current());
Tensor le(const Tensor& self, Scalar other, At at = At::current());
Tensor gt(const Tensor& self, Scalar other, At at = At::current());
Tensor ge(const Tensor& self, Scalar other, At at = At::current());
/// x == 0, for any dtype, as bool. Not a member.
Tensor logical_not(const Tensor& self, At at = At::current());
/// Of the truth of numbers, 0 being false, for any dtypes, broadcast; bool results, no derivative.
Tensor logical_and(const Tensor& self, const Tensor& other, At at = At::current());
Tensor logical_or(const Tensor& self, const Tensor& other, At at = At::current());
Tensor logical_xor(const Tensor& self, const Tensor& other, At at = At::current());
/// NaN; inf or -inf; neither; negative or -0. bool results for any dtype (integers are finite).
Tensor isnan(const Tensor& self, At at = At::current());
Tensor isinf(const Tensor& self, At at = At::current());
Tensor isfinite(const Tensor& self, At at = At::current());
Tensor signbit(const Tensor& self, At at = At::current());
/// Bit by bit, of integers and bools (else DtypeError), promoted.
Tensor bitwise_and(const Tensor& self, const Tensor& other, At at = At::current());
Tensor bitwise_and(const Tensor& self, Scalar other, At at = At::current());
Tensor bitwise_or(const Tensor& self, const Tensor& other, At at = At::current());
Tensor bitwise_or(const Tensor& self, Scalar other, At at = At::current());
Tensor bitwise_xor(const Tensor& self, const Tensor& other, At at = At::current());
Tensor bitwise_xor(const Tensor& self, Scalar other, At at = At::current());
Tensor bitwise_and(Scalar self, const Tensor& other, At at = At::current());
Tensor bitwise_or(Scalar self, const Tensor& other, At at = At::current());
Tensor bitwise_xor(Scalar self, const Tensor& other, At at = At::current());
Tensor bitwise_not(const Tensor& self, At at = At::current());
/// allclose entry by entry, as a bool tensor of the broadcast shape.
Tensor isclose(const Tensor& self, const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false, At at = At::current());
/// Same shape and equal values, dtypes promoted. Only a bool: no graph. Inside vmap:
/// BatchingNotImplemented.
bool equal(const Tensor& self, const Tensor& other, At at = At::current());
/// |self - other| <= atol + rtol |other| everywhere, broadcast and computed in double; an infinity
/// is close to itself alone, and NaN to NaN with equal_nan. Throws DtypeError for two dtypes. Only
/// a bool: no graph. Inside vmap: BatchingNotImplemented.
bool allclose(const Tensor& self, const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false, At at = At::current());

}  // namespace notape
