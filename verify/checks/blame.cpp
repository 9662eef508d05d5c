#include "verify/checks/blame.h"

#include "verify/checks/duals.h"

namespace notape::verify {

std::string blame(const Subject& subject, const Direction& u, Wide reverse, Wide numeric,
                  Wide radius) {
  constexpr const char* kUndecided = "the rule or its transpose, undecided";
  if (!subject.spec.forward_mode) return kUndecided;
  Wide forward = 0;
  try {
    forward = forward_slope(subject, u).value;
  } catch (const Error&) {
    return kUndecided;  // there is no forward rule after all
  }
  const auto agree = [&](Wide a, Wide b) { return magnitude(a - b) <= 2 * radius; };
  if (agree(forward, numeric))
    return "the reverse rule: the forward rule agrees with the numeric slope";
  if (agree(forward, reverse))
    return "the formula behind the reverse and the forward rule, or the value itself";
  return "the reverse rule, and separately the forward rule";
}

}  // namespace notape::verify
