// What an optimizer does with one number of a parameter: functors of (p, g, states), the same for
// every device. Constants are rounded to the parameter's type once for each tensor.
#pragma once
#include <cmath>
#include <cstdint>
#include <variant>

#include "ops/core/device_function.h"
#include "ops/optimize.h"

namespace notape::optimize {

/// What all begin with.
template <typename T>
struct GradientOf {
  T sign, decay;
  template <typename Step>
  explicit GradientOf(const Step& step)
      : sign(step.maximize ? -1 : 1), decay(static_cast<T>(step.weight_decay)) {}
  NOTAPE_HD T operator()(T p, T g) const { return sign * g + decay * p; }
};

template <typename T>
struct PlainSgd {
  static constexpr int kStates = 0;
  GradientOf<T> gradient;
  T lr;
  PlainSgd(const SgdStep& step, int64_t) : gradient(step), lr(static_cast<T>(step.lr)) {}
  NOTAPE_HD void operator()(T& p, T g) const { p -= lr * gradient(p, g); }
};

template <typename T>
struct MomentumSgd {
  static constexpr int kStates = 1;
  GradientOf<T> gradient;
  T lr, momentum, part, own_part, buffer_part;
  MomentumSgd(const SgdStep& step, int64_t t)
      : gradient(step),
        lr(static_cast<T>(step.lr)),
        momentum(t == 1 ? 0 : static_cast<T>(step.momentum)),
        part(t == 1 ? 1 : static_cast<T>(1 - step.dampening)),
        own_part(step.nesterov ? 1 : 0),
        buffer_part(step.nesterov ? static_cast<T>(step.momentum) : 1) {}
  NOTAPE_HD void operator()(T& p, T g, T& buffer) const {
    g = gradient(p, g);
    buffer = momentum * buffer + part * g;
    p -= lr * (own_part * g + buffer_part * buffer);
  }
};

/// Max: with amsgrad.
template <typename T, bool Max>
struct Adam {
  static constexpr int kStates = Max ? 3 : 2;
  GradientOf<T> gradient;
  T shrink, part1, beta2, part2, step_size, correction, eps;
  Adam(const AdamStep& step, int64_t t)
      : gradient(step),
        shrink(static_cast<T>(step.decoupled_weight_decay ? 1 - step.lr * step.weight_decay : 1)),
        part1(static_cast<T>(1 - step.beta1)),
        beta2(static_cast<T>(step.beta2)),
        part2(static_cast<T>(1 - step.beta2)),
        step_size(static_cast<T>(step.lr / (1 - std::pow(step.beta1, static_cast<double>(t))))),
        correction(static_cast<T>(1 / std::sqrt(1 - std::pow(step.beta2, static_cast<double>(t))))),
        eps(static_cast<T>(step.eps)) {
    if (step.decoupled_weight_decay) gradient.decay = 0;
  }
  NOTAPE_HD void move(T& p, T m, T v) const {
    p = shrink * p - step_size * m / (math::sqrt(v) * correction + eps);
  }
  NOTAPE_HD void average(T p, T g, T& m, T& v) const {
    g = gradient(p, g);
    m += part1 * (g - m);
    v = beta2 * v + part2 * g * g;
  }
  NOTAPE_HD void operator()(T& p, T g, T& m, T& v) const {
    average(p, g, m, v);
    move(p, m, v);
  }
  NOTAPE_HD void operator()(T& p, T g, T& m, T& v, T& largest) const {
    average(p, g, m, v);
    largest = v < largest ? largest : v;  // NaN stays to be seen
    move(p, m, largest);
  }
};

template <typename T, bool Centered, bool Momentum>
struct Rmsprop {
  static constexpr int kStates = 1 + Centered + Momentum;
  GradientOf<T> gradient;
  T lr, alpha, part, eps, momentum;
  Rmsprop(const RmspropStep& step, int64_t)
      : gradient(step),
        lr(static_cast<T>(step.lr)),
        alpha(static_cast<T>(step.alpha)),
        part(static_cast<T>(1 - step.alpha)),
        eps(static_cast<T>(step.eps)),
        momentum(static_cast<T>(step.momentum)) {}
  NOTAPE_HD void move(T& p, T scaled) const { p -= lr * scaled; }
  NOTAPE_HD void move(T& p, T scaled, T& buffer) const {
    buffer = momentum * buffer + scaled;
    p -= lr * buffer;
  }
  /// rest: the average of g, if centered, and the buffer, with momentum.
  template <typename... Rest>
  NOTAPE_HD void operator()(T& p, T g, T& square, Rest&... rest) const {
    g = gradient(p, g);
    square = alpha * square + part * g * g;
    if constexpr (Centered)
      centered(p, g, square, rest...);
    else
      move(p, g / (math::sqrt(square) + eps), rest...);
  }

 private:
  template <typename... Rest>
  NOTAPE_HD void centered(T& p, T g, T square, T& average, Rest&... rest) const {
    average += part * (g - average);
    move(p, g / (math::sqrt(square - average * average) + eps), rest...);
  }
};

template <typename T>
struct Adagrad {
  static constexpr int kStates = 1;
  GradientOf<T> gradient;
  T lr, eps;
  Adagrad(const AdagradStep& step, int64_t t)
      : gradient(step),
        lr(static_cast<T>(step.lr / (1 + static_cast<double>(t - 1) * step.lr_decay))),
        eps(static_cast<T>(step.eps)) {}
  NOTAPE_HD void operator()(T& p, T g, T& sum) const {
    g = gradient(p, g);
    sum += g * g;
    p -= lr * g / (math::sqrt(sum) + eps);
  }
};

/// Times a number, or that at a place in the device's memory.
struct ScaleStep {
  double factor = 0;
  const double* place = nullptr;
};
template <typename T>
struct Scale {
  static constexpr int kStates = 0;
  T factor;
  const double* place;
  Scale(const ScaleStep& step, int64_t) : factor(static_cast<T>(step.factor)), place(step.place) {}
  NOTAPE_HD void operator()(T& p, T) const { p *= place ? static_cast<T>(*place) : factor; }
};

using AnyStep = std::variant<SgdStep, AdamStep, RmspropStep, AdagradStep, ScaleStep>;

/// run.template operator()<Update>(step) with the functor's class that the step asks for.
template <typename T, typename Run>
void visit_update(const AnyStep& any, const Run& run) {
  if (const auto* sgd = std::get_if<SgdStep>(&any)) {
    if (sgd->momentum == 0) return run.template operator()<PlainSgd<T>>(*sgd);
    return run.template operator()<MomentumSgd<T>>(*sgd);
  }
  if (const auto* adam = std::get_if<AdamStep>(&any)) {
    if (adam->amsgrad) return run.template operator()<Adam<T, true>>(*adam);
    return run.template operator()<Adam<T, false>>(*adam);
  }
  if (const auto* rmsprop = std::get_if<RmspropStep>(&any)) {
    if (rmsprop->centered && rmsprop->momentum != 0)
      return run.template operator()<Rmsprop<T, true, true>>(*rmsprop);
    if (rmsprop->centered) return run.template operator()<Rmsprop<T, true, false>>(*rmsprop);
    if (rmsprop->momentum != 0) return run.template operator()<Rmsprop<T, false, true>>(*rmsprop);
    return run.template operator()<Rmsprop<T, false, false>>(*rmsprop);
  }
  if (const auto* scale = std::get_if<ScaleStep>(&any))
    return run.template operator()<Scale<T>>(*scale);
  run.template operator()<Adagrad<T>>(std::get<AdagradStep>(any));
}

}  // namespace notape::optimize
