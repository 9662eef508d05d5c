// Probes: functions of one number whose derivative is known, chosen to be hard for differences:
// badly scaled, oscillating, cancelling, near kinks and jumps, and on them.
#pragma once
#include <quadmath.h>

#include <cmath>
#include <string>
#include <vector>

#include "ops/core/device_function.h"
#include "verify/numeric/direction.h"
#include "verify/numeric/judgement.h"

namespace notape::verify {

struct Probe {
  std::string name;
  double x, u;
  std::function<double(double)> f;
  std::function<Wide(Wide)> wide;
  std::function<Wide(Wide)> derivative;

  DoublePath path() const { return line(f, x, u); }
  Path wide_path() const {
    return [*this](Wide t) {
      const Wide at = Wide(x) + t * Wide(u), y = wide(at);
      return Sample{y, magnitude(y) + magnitude(at) + 1};
    };
  }
  /// d/dt f(x + t u), rounded once.
  double slope() const { return static_cast<double>(derivative(Wide(x)) * Wide(u)); }
};

/// `scale` is the size of steps; 0: that of x.
template <typename F>
Probe probe(const char* name, double x, F f, Wide (*derivative)(Wide), double scale = 0) {
  const double rounded = without_last_bit(x);
  return {name,
          rounded,
          power_of_two_below(scale != 0 ? scale : x),
          [f](double at) { return f(at); },
          [f](Wide at) { return f(at); },
          derivative};
}

inline double floor_of(double x) { return std::floor(x); }
inline Wide floor_of(Wide x) { return floorq(x); }
inline double atan_of(double x) { return std::atan(x); }
inline Wide atan_of(Wide x) { return atanq(x); }
template <typename T>
T relu_of(T x) {
  return x > 0 ? x : T(0);
}

/// Smooth at their points, if only just.
inline std::vector<Probe> smooth_probes() {
  return {
      probe(
          "exp(20 x)", 1, [](auto x) { return math::exp(20 * x); },
          [](Wide x) { return 20 * expq(20 * x); }),
      probe(
          "1 / x", 1e-3, [](auto x) { return 1 / x; }, [](Wide x) { return -1 / (x * x); }),
      probe(
          "log x", 1e-4, [](auto x) { return math::log(x); }, [](Wide x) { return 1 / x; }),
      probe(
          "sin(300 x)", 1, [](auto x) { return math::sin(300 * x); },
          [](Wide x) { return 300 * cosq(300 * x); }),
      probe(
          "sqrt x", 1e-8, [](auto x) { return math::sqrt(x); },
          [](Wide x) { return 1 / (2 * sqrtq(x)); }),
      probe(
          "x^2.5", 1e-3, [](auto x) { return x * x * math::sqrt(x); },
          [](Wide x) { return Wide(2.5) * x * sqrtq(x); }),
      probe(
          "x + 1e8", 1, [](auto x) { return x + 1e8; }, [](Wide) { return Wide(1); }),
      probe(
          "(1 - cos x) / x^2", 1e-3, [](auto x) { return (1 - math::cos(x)) / (x * x); },
          [](Wide x) { return (x * sinq(x) - 2 * (1 - cosq(x))) / (x * x * x); }, 1),
      probe(
          "tanh x", 0.5, [](auto x) { return math::tanh(x); },
          [](Wide x) { return 1 / (coshq(x) * coshq(x)); }),
      probe(
          "x^3", 1.7, [](auto x) { return x * x * x; }, [](Wide x) { return 3 * x * x; }),
      probe(
          "exp x", -30, [](auto x) { return math::exp(x); }, [](Wide x) { return expq(x); }),
      probe(
          "atan(1e6 x)", 1e-7, [](auto x) { return atan_of(1e6 * x); },
          [](Wide x) { return 1e6 / (1 + 1e12 * x * x); }),
      probe(
          "x sin(1 / x)", 0.01, [](auto x) { return x * math::sin(1 / x); },
          [](Wide x) { return sinq(1 / x) - cosq(1 / x) / x; }),
      probe(
          "sqrt(1 + x^2) - 1", 1e-4, [](auto x) { return math::sqrt(1 + x * x) - 1; },
          [](Wide x) { return x / sqrtq(1 + x * x); }, 1),
      probe(
          "x^2, huge", 1e150, [](auto x) { return x * x; }, [](Wide x) { return 2 * x; }),
      probe(
          "1e-200 sin x", 1, [](auto x) { return 1e-200 * math::sin(x); },
          [](Wide x) { return Wide(1e-200) * cosq(x); }),
      probe(
          "relu near 0", 1e-9, [](auto x) { return relu_of(x); }, [](Wide) { return Wide(1); }),
      probe(
          "|x| near 0", -1e-6, [](auto x) { return math::abs(x); }, [](Wide) { return Wide(-1); }),
      probe(
          "|x|^1.5 near 0", 1e-5, [](auto x) { return x * math::sqrt(math::abs(x)); },
          [](Wide x) { return Wide(1.5) * sqrtq(x); }),
      probe(
          "max(x, 1 - x) near 1/2", 0.5 + 1e-4,
          [](auto x) { return math::max(x, decltype(x)(1) - x); }, [](Wide) { return Wide(1); }),
      probe(
          "x - floor x near 1", 1 + 1e-4, [](auto x) { return x - floor_of(x); },
          [](Wide) { return Wide(1); }),
  };
}

/// A point where a function is not smooth.
struct SingularProbe {
  Probe probe;
  LocalShape shape;
  double below, above;  ///< one-sided slopes of kinks
};

inline std::vector<SingularProbe> singular_probes() {
  constexpr auto none = [](Wide) { return Wide(0); };
  const auto kink = [&](const char* name, double x, auto f, double below, double above) {
    return SingularProbe{probe(name, x, f, none, 1), LocalShape::Kink, below, above};
  };
  const auto other = [&](const char* name, double x, auto f, LocalShape shape) {
    return SingularProbe{probe(name, x, f, none, 1), shape, 0, 0};
  };
  return {
      kink(
          "relu", 0, [](auto x) { return relu_of(x); }, 0, 1),
      kink(
          "|x|", 0, [](auto x) { return math::abs(x); }, -1, 1),
      kink(
          "leaky relu", 0, [](auto x) { return x > 0 ? x : x / 8; }, 0.125, 1),
      kink(
          "max(x, 1 - x)", 0.5, [](auto x) { return math::max(x, decltype(x)(1) - x); }, -1, 1),
      kink(
          "min(x, 2)", 2, [](auto x) { return math::min(x, decltype(x)(2)); }, 1, 0),
      kink(
          "|sin x|", 0, [](auto x) { return math::abs(math::sin(x)); }, -1, 1),
      kink(
          "max(0, x^2 - 1)", 1, [](auto x) { return relu_of(x * x - 1); }, 0, 2),
      kink(
          "|x| + x^2 + 3", 0, [](auto x) { return math::abs(x) + x * x + 3; }, -1, 1),
      other(
          "floor", 1, [](auto x) { return floor_of(x); }, LocalShape::Jump),
      other(
          "sign", 0, [](auto x) { return x > 0   ? 1
                                         : x < 0 ? -1
                                                 : 0; }, LocalShape::Jump),
      other(
          "x + step", 0, [](auto x) { return x >= 0 ? x + 1 : x; }, LocalShape::Jump),
      other(
          "sqrt |x|", 0, [](auto x) { return math::sqrt(math::abs(x)); }, LocalShape::Unbounded),
      other(
          "sqrt x at its end", 0, [](auto x) { return math::sqrt(x); }, LocalShape::Unbounded),
      other(
          "|x|^3/4", 0, [](auto x) { return math::sqrt(math::abs(x) * math::sqrt(math::abs(x))); },
          LocalShape::Unbounded),
  };
}

}  // namespace notape::verify
