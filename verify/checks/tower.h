// Derivatives of the first three orders along one direction, each the reverse derivative of the one
// before.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

/// phi(t) = <v, f(x + t u)>; an order that nothing reaches is zero.
struct Tower {
  Sample first, second, third;
  Sample moving;  ///< of the second order, as v moves along q
};

/// At a point other than the case's if one is given.
Tower derivative_tower(const Subject& subject, const Direction& u, const Numbers& q,
                       const NoisePoint* point = nullptr);
/// +-1 for every entry of the result.
Numbers signs_of_result(const Subject& subject);

}  // namespace notape::verify
