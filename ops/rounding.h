// Whole numbers of others. What holds for all elementwise operators stands in ops/elementwise.h.
#pragma once
#include "ops/at.h"

namespace notape {

/// The whole number next to x that is not larger (floor), not smaller (ceil), nearest with halves
/// to even (round), not farther from 0 (trunc),  d/dx = 0 everywhere, also at the jumps. Integers
/// stay as they are; bool: DtypeError.
Tensor floor(const Tensor& self, At at = At::current());
Tensor& floor_(Tensor& self, At at = At::current());
Tensor ceil(const Tensor& self, At at = At::current());
Tensor& ceil_(Tensor& self, At at = At::current());
Tensor round(const Tensor& self, At at = At::current());
Tensor& round_(Tensor& self, At at = At::current());
/// To as many decimal places, of which a negative number counts places before the point.
Tensor round(const Tensor& self, Integer decimals, At at = At::current());
Tensor& round_(Tensor& self, Integer decimals, At at = At::current());
Tensor trunc(const Tensor& self, At at = At::current());
Tensor& trunc_(Tensor& self, At at = At::current());
/// x - trunc(x),  d/dx = 1 everywhere. Floating dtypes only (DtypeError).
Tensor frac(const Tensor& self, At at = At::current());
Tensor& frac_(Tensor& self, At at = At::current());

}  // namespace notape
