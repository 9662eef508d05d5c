// The Taylor test: one number that says whether the gradient of a whole model is right.
// |f(x + h u) - f(x) - h <g, u>| falls with h^2 if g is the gradient, and with h if it is not.
//
//   const auto report = verify::taylor_slope([&](const variable_list& w) { return loss(w); },
//   weights); if (report.verdict != verify::Verdict::Pass) std::cerr << report.text();
#pragma once
#include <functional>
#include <string>

#include "autograd/tensor/tensor.h"
#include "verify/verdict.h"

namespace notape::verify {

struct TaylorLevel {
  double step = 0;       ///< h
  double remainder = 0;  ///< |f(x + h u) - f(x) - h <g, u>|
  bool clear = false;    ///< well above the noise of f
};

struct TaylorReport {
  /// How fast the remainder falls, as a power of h: 2 or more is right, 1 is a wrong gradient.
  double slope = 0;
  double noise = 0;        ///< of the values of f
  double directional = 0;  ///< <g, u>
  /// Pass: a slope of at least 1.9 over five levels or more; or no remainder above the noise at
  /// all, as f is linear. Fail: less. Nonfinite: a value or the gradient is not finite. Unresolved:
  /// too few levels are clear of noise, or a kink of f lies between the shortest steps. Vacuous:
  /// there is nothing to move.
  Verdict verdict = Verdict::Unresolved;
  std::string reason;
  std::vector<TaylorLevel> levels;  ///< from the longest step to the shortest

  /// The verdict in a line, and the table of levels.
  std::string text() const;
};

/// `f` must give one float64 number and be differentiable at the inputs that require grad, which
/// move along random signs times the size of each tensor's entries. Their `.grad` is left alone.
/// Throws ValueError for another result, or if no input requires grad.
TaylorReport taylor_slope(const std::function<Tensor(const variable_list&)>& f,
                          const variable_list& inputs, uint64_t seed = 1);

}  // namespace notape::verify
