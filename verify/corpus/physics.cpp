// Formulas of physics as scalar loops, with the slopes that a paper's appendix lists.
#include <cmath>

#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

void add_potentials(Family& family) {
  family.add(
      Looped{.name = "lennard_jones",  // 4 eps ((s / r)^12 - (s / r)^6); r, eps, s
             .inputs_of_loop = 3,
             .forward = [](const double* x) -> double {
               const double six = std::pow(x[2] / x[0], 6);
               return 4 * x[1] * (six * six - six);
             },
             .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
               const double six = std::pow(x[2] / x[0], 6);
               const double twelve = slip("twelve") ? six * six : 2 * six * six;
               slopes[0] = -24 * x[1] / x[0] * (twelve - six);
               slopes[1] = slip("missing") ? 0 : 4 * (six * six - six);
               slopes[2] = (slip("sign") ? -24 : 24) * x[1] / x[2] * (twelve - six);
             },
             .inputs = drawn({uniform({5}, 0.8, 3), uniform({5}, 0.1, 2), uniform({5}, 0.9, 1.2)}),
             .slips = {{"twelve", Kind::LostFactor}, "missing", "sign"}});
  family.add(Looped{.name = "coulomb",  // k q Q / r, with r over six decades
                    .inputs_of_loop = 3,
                    .forward = [](const double* x) { return 8.9875517923 * x[0] * x[1] / x[2]; },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      const double k = slip("constant") ? 8.9875521 : 8.9875517923;
                      slopes[0] = k * x[1] / x[2];
                      slopes[1] = slip("swapped") ? slopes[0] : k * x[0] / x[2];
                      slopes[2] = -k * x[0] * x[1] / (slip("power") ? x[2] : x[2] * x[2]);
                    },
                    .inputs = drawn({signed_magnitudes({6}, 0.1, 3), signed_magnitudes({6}, 0.1, 3),
                                     magnitudes({6}, 1e-3, 1e3)}),
                    .slips = {"constant", "swapped", "power"}});
}

void add_wells(Family& family) {
  family.add(Looped{.name = "morse",  // D (1 - exp(-a (r - r0)))^2; r, a
                    .inputs_of_loop = 2,
                    .forward = [](const double* x) -> double {
                      const double lift = 1 - std::exp(-x[1] * (x[0] - 1));
                      return 4.5 * lift * lift;
                    },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      const double falling = std::exp(-x[1] * (x[0] - 1)),
                                   common = 9 * (1 - falling);
                      slopes[0] = common * falling * (slip("factor") ? 1 : x[1]);
                      slopes[1] = common * falling * (slip("origin") ? x[0] : x[0] - 1);
                    },
                    .inputs = drawn({uniform({6}, 0.5, 4), uniform({6}, 0.5, 3)}),
                    .slips = {"factor", {"origin", Kind::LostTerm}}});
  family.add(Looped{.name = "double_well",
                    .inputs_of_loop = 1,
                    .forward = [](const double* x) { return (*x * *x - 1) * (*x * *x - 1); },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      slopes[0] = (slip("factor") ? 2 : 4) * *x * (*x * *x - 1);
                    },
                    .inputs = between(-1.5, 1.5, {6}),
                    .slips = {"factor"}});
}

void add_mechanics(Family& family) {
  family.add(Looped{
      .name = "pendulum_energy",  // m l^2 w^2 / 2 + m g l (1 - cos a); a, w, l
      .inputs_of_loop = 3,
      .forward = [](const double* x) -> double {
        const double speed = x[2] * x[1];
        return 0.5 * speed * speed + 9.80665 * x[2] * (1 - std::cos(x[0]));
      },
      .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
        const double g = slip("constant") ? 9.80666 : 9.80665;
        slopes[0] = g * x[2] * (slip("small-angle") ? x[0] : std::sin(x[0]));
        slopes[1] = x[2] * x[2] * x[1];
        slopes[2] = x[2] * x[1] * x[1] + (slip("term") ? 0 : g * (1 - std::cos(x[0])));
      },
      .inputs = drawn({signed_magnitudes({5}, 1e-3, 3), uniform({5}, -4, 4), uniform({5}, 0.2, 3)}),
      .slips = {"constant", {"small-angle", Kind::AtSaturation}, "term"}});
  family.add(Looped{.name = "lorentz_factor",  // 1 / sqrt(1 - v^2), up to 0.9999 of light
                    .inputs_of_loop = 1,
                    .forward = [](const double* x) { return 1 / std::sqrt(1 - *x * *x); },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      const double gamma = 1 / std::sqrt(1 - *x * *x);
                      slopes[0] = *x * gamma * gamma * (slip("power") ? 1 : gamma);
                      if (slip("far") && *x > 0.99) slopes[0] = *x * 400;
                    },
                    .inputs = [](InputDraw& draw) -> variable_list {
                      return {constant(1 - draw.magnitudes({6}, 1e-4, 1)).requires_grad_(true)};
                    },
                    .slips = {"power", "far"}});
  family.add(Looped{.name = "spring_float32",  // k x^2 / 2 in float32
                    .inputs_of_loop = 2,
                    .forward = [](const double* x) -> double {
                      const auto k = static_cast<float>(x[0]), at = static_cast<float>(x[1]);
                      return static_cast<double>(0.5F * k * at * at);
                    },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      const auto k = static_cast<float>(x[0]), at = static_cast<float>(x[1]);
                      slopes[0] = static_cast<double>((slip("half") ? 1 : 0.5F) * at * at);
                      slopes[1] = slip("swapped") ? slopes[0] : static_cast<double>(k * at);
                    },
                    .inputs = drawn({uniform({5}, 0.5, 9), uniform({5}, -3, 3)}),
                    .slips = {"half", "swapped"},
                    .traits = {.single_precision = true}});
}

void add_iterations(Family& family) {
  family.add(
      Looped{.name = "kepler_step",  // a Newton step for E - e sin E = M; E, e, M
             .inputs_of_loop = 3,
             .forward = [](const double* x) -> double {
               return x[0] - (x[0] - x[1] * std::sin(x[0]) - x[2]) / (1 - x[1] * std::cos(x[0]));
             },
             .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
               const double s = std::sin(x[0]), c = std::cos(x[0]), below = 1 - x[1] * c;
               const double residual = x[0] - x[1] * s - x[2];
               slopes[0] = residual * x[1] * s / (below * below);
               if (slip("newton")) slopes[0] = 0;
               slopes[1] = s / below - (slip("term") ? 0 : residual * c / (below * below));
               slopes[2] = slip("sign") ? -1 / below : 1 / below;
             },
             .inputs = drawn({uniform({5}, -3, 3), uniform({5}, 0, 0.9), uniform({5}, -3, 3)}),
             .slips = {{"newton", Kind::LostTerm}, "term", "sign"}});
  family.add(Looped{.name = "logistic_map",  // five steps of x -> r x (1 - x); x, r
                    .inputs_of_loop = 2,
                    .forward = [](const double* x) -> double {
                      double at = x[0];
                      for (int i = 0; i < 5; ++i) at = x[1] * at * (1 - at);
                      return at;
                    },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      double at = x[0], of_x = 1, of_r = 0;
                      for (int i = 0; i < 5; ++i) {
                        const double slope = x[1] * (1 - 2 * at);
                        of_r = (slip("tied") && i > 0 ? 0 : at * (1 - at)) + slope * of_r;
                        of_x *= slip("last") && i == 4 ? 1 : slope;
                        at = x[1] * at * (1 - at);
                      }
                      slopes[0] = of_x;
                      slopes[1] = of_r;
                    },
                    .inputs = drawn({uniform({6}, 0.1, 0.9), uniform({6}, 2.5, 4)}),
                    .slips = {"tied", {"last", Kind::LostFactor}}});
}

void add_heat(Family& family) {
  family.add(Looped{
      .name = "planck",  // n^3 / (exp(n / T) - 1); small n / T cancels, a large one is flat
      .inputs_of_loop = 2,
      .forward = [](const double* x) { return x[0] * x[0] * x[0] / std::expm1(x[0] / x[1]); },
      .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
        const double ratio = x[0] / x[1], below = std::expm1(ratio);
        const double value = x[0] * x[0] * x[0] / below;
        const double falling = std::exp(ratio) / below;
        slopes[0] = value * (3 / x[0] - (slip("term") ? 0 : falling / x[1]));
        slopes[1] = value * falling * ratio / (slip("factor") ? 1 : x[1]);
        if (slip("sign")) slopes[1] = -slopes[1];
      },
      .inputs = drawn({magnitudes({6}, 1e-2, 20), uniform({6}, 0.5, 4)}),
      .slips = {"term", "factor", "sign"}});
  family.add(Looped{.name = "van_der_waals",  // R T / (V - b) - a / V^2; V, T
                    .inputs_of_loop = 2,
                    .forward = [](const double* x) -> double {
                      return 8.314462618 * x[1] / (x[0] - 0.0427) - 0.364 / (x[0] * x[0]);
                    },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      const double gas = slip("constant") ? 8.314463 : 8.314462618,
                                   free = x[0] - 0.0427;
                      const double pull = 0.364 / (x[0] * x[0] * x[0]);
                      slopes[0] = -gas * x[1] / (free * free) + (slip("factor") ? 1 : 2) * pull;
                      slopes[1] = gas / (slip("volume") ? x[0] : free);
                    },
                    .inputs = drawn({magnitudes({5}, 0.06, 5), uniform({5}, 250, 400)}),
                    .slips = {"constant", "factor", {"volume", Kind::LostTerm}}});
  family.add(
      Looped{.name = "arrhenius",  // A exp(-E / (R T)), underflowing for cold T; E, T
             .inputs_of_loop = 2,
             .forward = [](const double* x) { return 1e3 * std::exp(-x[0] / (0.0083145 * x[1])); },
             .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
               const double value = 1e3 * std::exp(-x[0] / (0.0083145 * x[1]));
               slopes[0] = -value / (0.0083145 * x[1]);
               slopes[1] = value * x[0] / (0.0083145 * x[1] * (slip("power") ? 1 : x[1]));
               if (slip("sign")) slopes[0] = -slopes[0];
             },
             .inputs = drawn({uniform({5}, 1, 80), uniform({5}, 200, 1500)}),
             .slips = {"power", "sign"}});
}

}  // namespace

void add_physics(std::vector<Entry>& entries) {
  Family family("physics", entries);
  add_potentials(family);
  add_wells(family);
  add_mechanics(family);
  add_iterations(family);
  add_heat(family);
}

}  // namespace notape::verify::corpus
