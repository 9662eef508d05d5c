// A proof that an elementwise operator's derivative rule is the derivative of its value: on cells
// that cover its domain, the difference of the two is enclosed, as functions of real numbers, up to
// the third order.
#pragma once
#include <string>
#include <vector>

#include "ops/spec/op_spec.h"

namespace notape::prove {

/// What rules and formulas may differ by, of the derivative: their constants are rounded to
/// doubles.
inline constexpr double kWithin = 0x1p-46;

struct Interval {
  double low = 0, high = 0;
};

/// What is not proved on an interval, and why; or what is wrong there.
struct Left {
  Interval where;
  int order = 0;  ///< of the derivative
  std::string why;
};

struct Proof {
  Interval domain;
  int orders = 0;             ///< derivatives up to this one were compared
  int cells = 0;              ///< on which they were proved equal
  double within = 0;          ///< of the derivative, which they differ by at most
  std::vector<Left> left;     ///< places, neighbouring ones joined
  std::vector<Left> refuted;  ///< middles of cells, where the rule differs; the search ends there
  std::string reason;         ///< why there is no proof at all; empty if there is one

  bool is_proved() const {
    double width = 0;
    for (const Left& one : left) width += one.where.high - one.where.low;
    return reason.empty() && refuted.empty() && cells > 0 &&
           width <= 0x1p-16 * (domain.high - domain.low);
  }
};

struct Request {
  Interval domain;
  int orders;               ///< derivatives that the operator has, at most
  double finest = 0x1p-24;  ///< of their numbers: no shorter cells, which remain where a step is
};

/// In libnotape_proofs.so. `one`: a case of one floating argument (unary_cases in
/// verify/exhaustive/walk.h). `proof` is empty.
extern "C" void notape_prove(const OpCase& one, const Request& asked, Proof& proof);

}  // namespace notape::prove
