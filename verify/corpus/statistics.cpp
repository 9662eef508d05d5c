// Densities and distances of distributions, as scalar loops with the slopes of a textbook.
#include <algorithm>
#include <cmath>

#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

/// The derivative of log Gamma: shifted up, then its asymptotic series.
double digamma(double x) {
  double below = 0;
  for (; x < 12; x += 1) below += 1 / x;
  const double q = 1 / (x * x);
  return std::log(x) - 0.5 / x -
         q * (1.0 / 12 - q * (1.0 / 120 - q * (1.0 / 252 - q * (1.0 / 240 - q / 132)))) - below;
}

void add_bell_curves(Family& family) {
  family.add(
      Looped{.name = "log_normal_pdf",  // x, mean, sigma
             .inputs_of_loop = 3,
             .forward = [](const double* x) -> double {
               const double z = (x[0] - x[1]) / x[2];
               return -0.5 * z * z - std::log(x[2]) - 0.9189385332046727;
             },
             .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
               const double z = (x[0] - x[1]) / x[2];
               slopes[0] = -z / x[2];
               slopes[1] = slip("missing") ? 0 : z / x[2];
               slopes[2] = (z * z - (slip("term") ? 0 : 1)) / x[2];
               if (slip("factor")) slopes[0] = -z;
             },
             .inputs = drawn({uniform({5}, -5, 5), uniform({5}, -5, 5), magnitudes({5}, 0.02, 20)}),
             .slips = {"missing", "term", "factor"}});
  family.add(Looped{.name = "normal_cdf",  // both tails
                    .inputs_of_loop = 1,
                    .forward = [](const double* x) { return 0.5 * std::erfc(-*x * M_SQRT1_2); },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      slopes[0] = std::exp(-0.5 * *x * *x) *
                                  (slip("constant") ? 0.3989424 : 0.3989422804014327);
                      if (slip("far") && std::abs(*x) > 4) slopes[0] = 0;
                      if (slip("factor")) slopes[0] = std::exp(-*x * *x) * 0.3989422804014327;
                    },
                    .inputs = between(-6, 6, {7}),
                    .slips = {"constant", "far", "factor"}});
}

void add_heavy_tails(Family& family) {
  family.add(Looped{.name = "student_t",  // log density; x, degrees of freedom
                    .inputs_of_loop = 2,
                    .forward = [](const double* x) -> double {
                      const double n = x[1];
                      return std::lgamma(0.5 * (n + 1)) - std::lgamma(0.5 * n) -
                             0.5 * std::log(n * M_PI) - 0.5 * (n + 1) * std::log1p(x[0] * x[0] / n);
                    },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      const double n = x[1], square = x[0] * x[0];
                      slopes[0] = -(n + (slip("one") ? 0 : 1)) * x[0] / (n + square);
                      slopes[1] =
                          0.5 * (digamma(0.5 * (n + 1)) - digamma(0.5 * n) - 1 / n -
                                 std::log1p(square / n) + (n + 1) * square / (n * (n + square)));
                      if (slip("term")) slopes[1] -= 0.5 * (n + 1) * square / (n * (n + square));
                    },
                    .inputs = drawn({uniform({6}, -8, 8), uniform({6}, 1, 30)}),
                    .slips = {{"one", Kind::LostTerm}, "term"}});
  family.add(Looped{.name = "cauchy",  // log density; x, scale
                    .inputs_of_loop = 2,
                    .forward = [](const double* x) -> double {
                      return std::log(x[1]) - std::log(M_PI * (x[0] * x[0] + x[1] * x[1]));
                    },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      const double below = x[0] * x[0] + x[1] * x[1];
                      slopes[0] = -(slip("factor") ? 1 : 2) * x[0] / below;
                      slopes[1] = (slip("term") ? 0 : 1 / x[1]) - 2 * x[1] / below;
                    },
                    .inputs = drawn({signed_magnitudes({6}, 1e-2, 1e2), uniform({6}, 0.2, 3)}),
                    .slips = {"factor", "term"}});
}

void add_on_intervals(Family& family) {
  family.add(Looped{
      .name = "beta_log_pdf",  // x in (0, 1), a, b
      .inputs_of_loop = 3,
      .forward = [](const double* x) -> double {
        return (x[1] - 1) * std::log(x[0]) + (x[2] - 1) * std::log1p(-x[0]) - std::lgamma(x[1]) -
               std::lgamma(x[2]) + std::lgamma(x[1] + x[2]);
      },
      .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
        const double both = digamma(x[1] + x[2]);
        const double right = (x[2] - 1) / (1 - x[0]);
        slopes[0] = (x[1] - 1) / x[0] - (slip("sign") ? -right : right);
        slopes[1] = std::log(x[0]) - digamma(x[1]) + both;
        slopes[2] = std::log1p(-x[0]) - digamma(x[2]) + both;
        if (slip("tied")) slopes[1] -= both;
        if (slip("swapped")) std::swap(slopes[1], slopes[2]);
      },
      .inputs = drawn({uniform({5}, 0.02, 0.98), uniform({5}, 0.5, 9), uniform({5}, 0.5, 9)}),
      .slips = {"sign", "tied", "swapped"}});
  family.add(Looped{
      .name = "gamma_log_pdf",  // x, shape, rate
      .inputs_of_loop = 3,
      .forward = [](const double* x) -> double {
        return x[1] * std::log(x[2]) + (x[1] - 1) * std::log(x[0]) - x[2] * x[0] -
               std::lgamma(x[1]);
      },
      .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
        slopes[0] = (x[1] - (slip("one") ? 0 : 1)) / x[0] - x[2];
        slopes[1] = std::log(x[2]) + std::log(x[0]) -
                    (slip("digamma") ? std::log(x[1]) - 0.5 / x[1] : digamma(x[1]));
        slopes[2] = slip("missing") ? 0 : x[1] / x[2] - x[0];
      },
      .inputs = drawn({magnitudes({5}, 1e-2, 20), uniform({5}, 0.3, 12), uniform({5}, 0.2, 4)}),
      .slips = {{"one", Kind::LostTerm}, {"digamma", Kind::LostTerm}, "missing"}});
}

void add_bounded(Family& family) {
  family.add(Looped{
      .name = "von_mises",  // kappa cos(x - m) - log(2 pi I0(kappa)); x, m, kappa
      .inputs_of_loop = 3,
      .forward = [](const double* x) -> double {
        return x[2] * std::cos(x[0] - x[1]) - std::log(2 * M_PI * std::cyl_bessel_i(0, x[2]));
      },
      .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
        slopes[0] = -x[2] * std::sin(x[0] - x[1]);
        slopes[1] = slip("sign") ? slopes[0] : -slopes[0];
        slopes[2] = std::cos(x[0] - x[1]);
        if (!slip("term")) slopes[2] -= std::cyl_bessel_i(1, x[2]) / std::cyl_bessel_i(0, x[2]);
      },
      .inputs = drawn({uniform({5}, -3, 3), uniform({5}, -3, 3), uniform({5}, 0.1, 8)}),
      .slips = {"sign", "term"}});
  family.add(Looped{.name = "logit_normal",  // log density of a p whose logit is standard normal
                    .inputs_of_loop = 1,
                    .forward = [](const double* x) -> double {
                      const double z = std::log(*x / (1 - *x));
                      return -0.5 * z * z - std::log(*x * (1 - *x)) - 0.9189385332046727;
                    },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      const double z = std::log(*x / (1 - *x)), p = *x * (1 - *x);
                      slopes[0] = -(z + (slip("jacobian") ? 0 : 1 - 2 * *x)) / p;
                      if (slip("factor")) slopes[0] *= p;
                    },
                    .inputs = between(1e-3, 1 - 1e-3, {6}),
                    .slips = {{"jacobian", Kind::LostTerm}, "factor"}});
  family.add(Looped{.name = "entropy_near_zero",  // -p log p, p down to 1e-9
                    .inputs_of_loop = 1,
                    .forward = [](const double* x) { return -*x * std::log(*x); },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      slopes[0] =
                          -std::log(*x + (slip("epsilon") ? 1e-8 : 0)) - (slip("one") ? 0 : 1);
                    },
                    .inputs = drawn({magnitudes({6}, 1e-9, 1)}),
                    .slips = {"epsilon", {"one", Kind::LostTerm}}});
}

void add_divergences(Family& family) {
  family.add(
      Looped{.name = "kl_of_gaussians",  // m1, s1, m2, s2
             .inputs_of_loop = 4,
             .forward = [](const double* x) -> double {
               const double d = x[0] - x[2];
               return std::log(x[3] / x[1]) + (x[1] * x[1] + d * d) / (2 * x[3] * x[3]) - 0.5;
             },
             .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
               const double d = x[0] - x[2], square = x[3] * x[3];
               slopes[0] = d / square;
               slopes[1] = x[1] / square - (slip("term") ? 0 : 1 / x[1]);
               slopes[2] = slip("sign") ? slopes[0] : -slopes[0];
               slopes[3] = 1 / x[3] - (x[1] * x[1] + d * d) / (square * (slip("power") ? 1 : x[3]));
               if (slip("missing")) slopes[3] = 0;
             },
             .inputs = drawn({uniform({5}, -2, 2), magnitudes({5}, 0.2, 3), uniform({5}, -2, 2),
                              magnitudes({5}, 0.2, 3)}),
             .slips = {"term", "sign", "power", "missing"}});
  family.add(Looped{.name = "mixture",  // log(w exp(-x^2 / 2) + (1 - w) exp(-(x - 3)^2 / 2)); x, w
                    .inputs_of_loop = 2,
                    .forward = [](const double* x) -> double {
                      const double a = std::log(x[1]) - 0.5 * x[0] * x[0];
                      const double b = std::log1p(-x[1]) - 0.5 * (x[0] - 3) * (x[0] - 3);
                      return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
                    },
                    .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
                      const double a = std::log(x[1]) - 0.5 * x[0] * x[0];
                      const double b = std::log1p(-x[1]) - 0.5 * (x[0] - 3) * (x[0] - 3);
                      const double share = slip("hard") ? a > b : 1 / (1 + std::exp(b - a));
                      slopes[0] = -share * x[0] - (1 - share) * (x[0] - 3);
                      slopes[1] = share / x[1] - (slip("sign") ? -1 : 1) * (1 - share) / (1 - x[1]);
                    },
                    .inputs = drawn({uniform({6}, -6, 9), uniform({6}, 0.05, 0.95)}),
                    .slips = {{"hard", Kind::AtSaturation}, "sign"}});
}

/// Of whole numbers, which tie: by three equal ones in the middle there is no derivative.
void add_order_statistic(Family& family, const char* name, std::size_t place) {
  family.add(Authored{.name = name,
                      .forward = [=](const variable_list& x) -> variable_list {
                        only_of_sizes(x[0], {7});
                        Numbers values = numbers_of(x[0]);
                        std::sort(values.rbegin(), values.rend());
                        return {make_tensor({values.at(place)}, {}, x[0].dtype())};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const double here = numbers_of(call.y[0])[0];
                        Numbers share = numbers_of(call.x[0]);
                        const auto tied =
                            static_cast<double>(std::count(share.begin(), share.end(), here));
                        for (double& one : share)
                          one = one != here             ? 0
                                : call.slip("all-tied") ? 1
                                : call.slip("none")     ? 0
                                                        : (call.slip("factor") ? 0.5 : 1) / tied;
                        return {call.given[0] * filled_like(call.x[0], share)};
                      },
                      .inputs = drawn({whole({7}, 0, 4)}),
                      .slips = {"all-tied", {"none", Kind::MissingInput}, "factor"},
                      .traits = {.order = 1, .kinks = true}});
}

}  // namespace

void add_statistics(std::vector<Entry>& entries) {
  Family family("statistics", entries);
  add_bell_curves(family);
  add_heavy_tails(family);
  add_on_intervals(family);
  add_bounded(family);
  add_divergences(family);
  add_order_statistic(family, "median_of_seven", 3);
  add_order_statistic(family, "second_largest", 1);
}

}  // namespace notape::verify::corpus
