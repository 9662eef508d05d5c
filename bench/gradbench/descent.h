// Derivatives in either mode that can be nested, and the descent along them.
#pragma once
#include "gradbench.h"

namespace gradbench {

enum class Mode { Reverse, Forward };
using Field = std::function<Tensor(const Tensor& x)>;

inline Mode mode_of(char letter) { return letter == 'r' ? Mode::Reverse : Mode::Forward; }

/// The gradient of a number f(x) by x (n). `is_inner`: it will be differentiated itself.
inline Tensor gradient(Mode mode, const Field& f, const Tensor& x, bool is_inner) {
  namespace functional = autograd::functional;
  const functional::Options options{.create_graph = is_inner};
  if (mode == Mode::Reverse) return functional::vjp(f, x, {}, options).product;
  std::vector<Tensor> slopes;
  for (int64_t i = 0; i < x.size(0); ++i) {
    const Tensor direction = zeros({x.size(0)}, dtype(kFloat64));
    direction[i].fill_(1.0);
    slopes.push_back(functional::jvp(f, x, direction, options).product);
  }
  return stack(slopes);
}

inline double length(const Tensor& x) { return x.detach().square().sum().sqrt().item<double>(); }

/// Where f, a number, is least: steps along its slope that grow and shrink.
inline Tensor descend(Mode mode, const Field& f, Tensor x, bool is_inner) {
  const AutoGradMode graph(is_inner && GradMode::is_enabled());
  const auto slope_at = [&](const Tensor& at) {
    const EnableGradGuard enabled;
    return gradient(mode, f, at, is_inner);
  };
  double step = 1e-5, value = f(x).item<double>();
  Tensor slope = slope_at(x);
  for (int successes = 0; length(slope) > 1e-5;) {
    if (successes == 10) {
      step *= 2;
      successes = 0;
      continue;
    }
    const Tensor next = x.sub(slope, step);
    if (length(next - x) <= 1e-5) break;
    if (const double there = f(next).item<double>(); there < value) {
      x = next;
      value = there;
      slope = slope_at(x);
      ++successes;
    } else {
      step /= 2;
      successes = 0;
    }
  }
  return x;
}

}  // namespace gradbench
