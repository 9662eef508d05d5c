// The reference of a case as a function of steps from the inputs, in 113-bit arithmetic. The inputs
// are exactly the numbers that the operator under test gets.
#pragma once
#include "verify/numeric/direction.h"
#include "verify/numeric/thresholds.h"

namespace notape::verify {

WideList wide_values(const DrawnCase& drawn);
/// x (1 + xi epsilon), with another xi in [-1, 1) for every entry and round; stays in the domain.
WideList jittered(const DrawnCase& drawn, double epsilon, int round);
/// x + t u
void move(WideList& x, const Direction& u, Wide t);

/// A number and how much was added up to get it.
struct Sample {
  Wide value = 0, magnitude = 0;

  Sample& operator+=(const Sample& other) {
    value += other.value;
    magnitude += other.magnitude;
    return *this;
  }
};
/// <v, y>
Sample weighted_sum(const Numbers& v, const std::vector<Wide>& y);
/// <v, f(x)>. The magnitude also counts the inputs and 1: a reference may add them up and cancel.
Sample weighted_result(const Numbers& v, const WideTensor& y, const WideList& x);
/// <u, g> over all arguments; an empty gradient is zero.
Sample weighted_sum(const Direction& u, const std::vector<Numbers>& g);

bool is_finite(Wide x);
inline Wide magnitude(Wide x) { return x < 0 ? -x : x; }

}  // namespace notape::verify
