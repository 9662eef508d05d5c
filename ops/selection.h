// Elementwise operators that choose: the gradient goes to what was chosen, and nowhere else. What
// holds for all elementwise operators stands in ops/elementwise.h.
#pragma once
#include <optional>

#include "ops/at.h"

namespace notape {

/// NaN, inf and -inf replaced by nan, posinf and neginf, of which the last two are by default the
/// largest and smallest numbers of the type;  d/dx = 1, and 0 where replaced. Integers and bools
/// stay as they are.
Tensor nan_to_num(const Tensor& self, std::optional<double> nan = {},
                  std::optional<double> posinf = {}, std::optional<double> neginf = {},
                  At at = At::current());
Tensor& nan_to_num_(Tensor& self, std::optional<double> nan = {}, std::optional<double> posinf = {},
                    std::optional<double> neginf = {}, At at = At::current());
/// min(max(x, min), max): with min > max all become max; NaN stays.  d/dx = 1 strictly inside, else
/// 0: also at a bound (LibTorch 1.13: 1; 2.15: 0). The bounds take part in promotion; one beyond
/// the range of self's integers bounds nothing. Throws ValueError if both are missing, or if a
/// bound demands integers that self's dtype has not.
Tensor clamp(const Tensor& self, std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
             At at = At::current());
Tensor& clamp_(Tensor& self, std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
               At at = At::current());
/// min(max(self, min), max) with a bound for each entry, broadcast and promoted; one of them may be
/// undefined (none, or both: ValueError).  d/d = 1 for what was chosen, shared evenly by ties.
Tensor clamp(const Tensor& self, const Tensor& min, const Tensor& max = {}, At at = At::current());
Tensor& clamp_(Tensor& self, const Tensor& min, const Tensor& max = {}, At at = At::current());
/// clamp with one bound.
Tensor clamp_min(const Tensor& self, Scalar min, At at = At::current());
Tensor clamp_min(const Tensor& self, const Tensor& min, At at = At::current());
Tensor& clamp_min_(Tensor& self, Scalar min, At at = At::current());
Tensor& clamp_min_(Tensor& self, const Tensor& min, At at = At::current());
Tensor clamp_max(const Tensor& self, Scalar max, At at = At::current());
Tensor clamp_max(const Tensor& self, const Tensor& max, At at = At::current());
Tensor& clamp_max_(Tensor& self, Scalar max, At at = At::current());
Tensor& clamp_max_(Tensor& self, const Tensor& max, At at = At::current());
/// clamp by its name in NumPy.
Tensor clip(const Tensor& self, std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
            At at = At::current());
Tensor& clip_(Tensor& self, std::optional<Scalar> min = {}, std::optional<Scalar> max = {},
              At at = At::current());
Tensor clip(const Tensor& self, const Tensor& min, const Tensor& max = {}, At at = At::current());
Tensor& clip_(Tensor& self, const Tensor& min, const Tensor& max = {}, At at = At::current());
/// The larger (smaller) of the two; NaN wins. The gradient goes to the winner; at a tie each gets
/// half if both want one, and none if the other is a constant (LibTorch: 1/2). Of NaNs: all to the
/// NaN, halves to two.
Tensor maximum(const Tensor& self, const Tensor& other, At at = At::current());
Tensor minimum(const Tensor& self, const Tensor& other, At at = At::current());
/// As maximum and minimum, but a number wins against NaN. Not in place.
Tensor fmax(const Tensor& self, const Tensor& other, At at = At::current());
Tensor fmin(const Tensor& self, const Tensor& other, At at = At::current());
/// self where the condition holds, else other; each has the gradient where it was selected and
/// exactly 0 elsewhere, whatever the derivatives there. The condition is bool (else DtypeError) and
/// broadcasts, too; a number takes part in promotion. As a member: x.where(condition, other).
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other,
             At at = At::current());
Tensor where(const Tensor& condition, const Tensor& self, Scalar other, At at = At::current());
Tensor where(const Tensor& condition, Scalar self, const Tensor& other, At at = At::current());
/// Of two numbers; the result has their dtype, as full() gives it.
Tensor where(const Tensor& condition, Scalar self, Scalar other, At at = At::current());
/// value where the mask holds, else self;  d/dself = 1 where it does not hold and exactly 0 where
/// it does. The mask is bool (else DtypeError); both broadcast, in place the mask to self. self's
/// dtype stays, and value is cut off to it.
Tensor masked_fill(const Tensor& self, const Tensor& mask, Scalar value, At at = At::current());
Tensor& masked_fill_(Tensor& self, const Tensor& mask, Scalar value, At at = At::current());
/// The same with a 0-d value (else ShapeError), converted to self's dtype;  d/dvalue sums the
/// gradient where the mask holds.
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value,
                   At at = At::current());
Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Tensor& value, At at = At::current());

}  // namespace notape
