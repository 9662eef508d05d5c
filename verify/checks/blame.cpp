#include "verify/checks/blame.h"

#include <cmath>

#include "verify/checks/duals.h"
#include "verify/checks/exact_slope.h"

namespace notape::verify {

namespace {

constexpr const char* kUndecided =
    "the reverse rule; whether its formula is wrong, or the way it is transposed, only a forward "
    "rule "
    "could tell";

bool nearer(double x, Wide to, Wide than) { return magnitude(x - to) < magnitude(x - than) / 8; }

/// Without a forward rule.
std::string blame_by_duals(const Subject& subject, const Direction& u, Wide reverse, Wide numeric) {
  const auto exact = exact_slope(subject, u, subject.wide(), subject.incoming());
  if (!exact || !exact->is_sure()) return kUndecided;
  const auto dual = static_cast<double>(exact->value.value);
  if (nearer(dual, numeric, reverse))
    return "the reverse rule: dual numbers through the reference agree with the numeric slope";
  if (nearer(dual, reverse, numeric))
    return "the numeric slope: dual numbers through the reference agree with the reverse rule";
  return kUndecided;
}

/// Where the rules of both modes agree with each other and not with the reference.
std::string blame_by_values(const Subject& subject, const Direction& u, Wide reverse,
                            Wide numeric) {
  const double own = subject.is_opaque() ? NAN : rough_slope(subject, u);
  // Values that stand still because they are rounded rise like nothing.
  const bool is_resolved =
      !subject.is_opaque() && magnitude(reverse - numeric) > Wide(8 * rough_resolution(subject, u));
  if (!subject.is_opaque() && !is_resolved)
    return "the formula behind the reverse and the forward rule: the value is rounded too coarsely "
           "here to tell, and only they can";
  if (nearer(own, numeric, reverse))
    return "the formula behind the reverse and the forward rule: the operator's own values rise "
           "like the reference";
  if (nearer(own, reverse, numeric))
    return "the value, which rises as the rules say and not like the reference";
  return "the formula behind the reverse and the forward rule, or the value itself";
}

}  // namespace

std::string blame(const Subject& subject, const Direction& u, Wide reverse, Wide numeric,
                  Wide radius) {
  if (!subject.spec.forward_mode) return blame_by_duals(subject, u, reverse, numeric);
  Wide forward = 0;
  try {
    forward = forward_slope(subject, u).value;
  } catch (const Error&) {
    return blame_by_duals(subject, u, reverse, numeric);  // there is no forward rule after all
  }
  const auto agree = [&](Wide a, Wide b) { return magnitude(a - b) <= 2 * radius; };
  const bool with_reverse = magnitude(forward - reverse) < magnitude(forward - numeric);
  if (agree(forward, numeric) && !with_reverse)
    return "the reverse rule: the forward rule agrees with the numeric slope";
  if (agree(forward, reverse)) return blame_by_values(subject, u, reverse, numeric);
  return "the reverse rule, and separately the forward rule";
}

}  // namespace notape::verify
