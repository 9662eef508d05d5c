// Distances between points, rows and series.
#include <algorithm>
#include <cmath>

#include "ops/linalg.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/transcendental.h"
#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

void add_rowwise(Family& family) {
  family.add(Authored{.name = "euclidean",  // by rows of a and b
                      .forward = [](const variable_list& x) -> variable_list {
                        return {sqrt(sum(square(x[0] - x[1]), 1))};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Tensor d = seen(call.x[0], call.slip) - call.x[1];
                        const Tensor far = sqrt(sum(square(d), 1, true)),
                                     given = call.given[0].unsqueeze(1);
                        const Tensor g = given * d / far * (call.slip("factor") ? 2 : 1);
                        if (call.slip("power")) return {given * d, -given * d};
                        return {g, call.slip("sign") ? g : call.slip("missing") ? Tensor() : -g};
                      },
                      .inputs = between(-3, 3, {3, 3}, 2),
                      .slips = {"factor", "power", "sign", "missing", "detached"}});
  family.add(
      Authored{.name = "pairwise_squared",  // |a_i|^2 + |b_j|^2 - 2 a_i b_j, far from zero: cancels
               .forward = [](const variable_list& x) -> variable_list {
                 return {sum(square(x[0]), 1, true) + sum(square(x[1]), 1).unsqueeze(0) -
                         2 * mm(x[0], t(x[1]))};
               },
               .backward = [](const Call& call) -> variable_list {
                 const Tensor &a = call.x[0], &b = call.x[1], &given = call.given[0];
                 const Tensor of_a = 2 * (sum(given, 1, true) * a - mm(given, b));
                 const Tensor columns = sum(given, call.slip("axis") ? 1 : 0).unsqueeze(1);
                 const Tensor of_b = 2 * (columns * b - mm(t(given), a));
                 return {call.slip("term") ? -2 * mm(given, b) : of_a,
                         call.slip("factor") ? 0.5 * of_b : of_b};
               },
               .inputs = between(9, 11, {3, 3}, 2),
               .slips = {"axis", "term", "factor"}});
}

void add_normalised(Family& family) {
  family.add(Authored{.name = "cosine_similarity",  // eps added to the product of norms
                      .forward = [](const variable_list& x) -> variable_list {
                        const Tensor norms =
                            sqrt(sum(square(x[0]), 1)) * sqrt(sum(square(x[1]), 1));
                        return {sum(x[0] * x[1], 1) / (norms + 1e-3)};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const double epsilon = call.slip("no-epsilon") ? 0 : 1e-3;
                        const Tensor a = sqrt(sum(square(call.x[0]), 1, true));
                        const Tensor b = sqrt(sum(square(call.x[1]), 1, true));
                        const Tensor below = a * b + epsilon, given = call.given[0].unsqueeze(1);
                        const Tensor value = sum(call.x[0] * call.x[1], 1, true) / below;
                        const Tensor of_a = (call.x[1] - value * b / a * call.x[0]) / below;
                        const Tensor of_b = (call.x[0] - value * a / b * call.x[1]) / below;
                        if (call.slip("term")) return {given * call.x[1] / below, given * of_b};
                        return {given * of_a, given * (call.slip("swapped") ? of_a : of_b)};
                      },
                      .inputs = between(-1, 1, {2, 4}, 2),
                      .slips = {"no-epsilon", "term", "swapped"}});
  family.add(Authored{
      .name = "mahalanobis",  // sqrt((a - b)^T M (a - b)), M neither symmetric nor constant
      .forward = [](const variable_list& x) -> variable_list {
        const Tensor d = x[0] - x[1];
        return {sqrt(dot(d, mm(x[2], d.unsqueeze(1)).squeeze(1)))};
      },
      .backward = [](const Call& call) -> variable_list {
        const Tensor d = call.x[0] - call.x[1], &m = call.x[2];
        const Tensor right = mm(m, d.unsqueeze(1)).squeeze(1);
        const Tensor left = mm(t(m), d.unsqueeze(1)).squeeze(1);
        const Tensor scale = call.given[0] / (2 * sqrt(dot(d, right)));
        const Tensor of_d = scale * (call.slip("symmetric") ? 2 * right : right + left);
        return {of_d, call.slip("sign") ? of_d : -of_d,
                call.slip("missing") ? Tensor() : scale * outer(d, d)};
      },
      .inputs = [](InputDraw& draw) -> variable_list {
        const Tensor root = draw.uniform({3, 3}, -0.3, 0.3).detach();
        return {draw.uniform({3}, -2, 2), draw.uniform({3}, -2, 2),
                constant(root + 2 * eye(3).to(kFloat64)).requires_grad_(true)};
      },
      .slips = {{"symmetric", Kind::LostTerm}, "sign", "missing"}});
}

void add_pointwise(Family& family) {
  family.add(Looped{
      .name = "haversine",  // great circle between (lat, lon) and (lat, lon), in radians
      .inputs_of_loop = 4,
      .forward = [](const double* x) -> double {
        const double a = std::sin(0.5 * (x[2] - x[0])), b = std::sin(0.5 * (x[3] - x[1]));
        return 2 * std::asin(std::sqrt(a * a + std::cos(x[0]) * std::cos(x[2]) * b * b));
      },
      .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
        const double a = std::sin(0.5 * (x[2] - x[0])), b = std::sin(0.5 * (x[3] - x[1]));
        const double h = a * a + std::cos(x[0]) * std::cos(x[2]) * b * b;
        const double outer = 1 / std::sqrt(h * (1 - h));
        const double climb = 0.5 * std::sin(x[2] - x[0]);
        const double turn = 0.5 * std::cos(x[0]) * std::cos(x[2]) * std::sin(x[3] - x[1]);
        slopes[0] = outer * (-climb - (slip("term") ? 0 : std::sin(x[0]) * std::cos(x[2]) * b * b));
        slopes[1] = -outer * turn;
        slopes[2] = outer * (climb - std::cos(x[0]) * std::sin(x[2]) * b * b);
        slopes[3] = outer * (slip("sign") ? -turn : turn);
        if (slip("near")) slopes[0] *= 1 / (1 + 1e-6 * outer);
      },
      .inputs = drawn({uniform({5}, -1.2, 1.2), uniform({5}, -3, 0), uniform({5}, -1.2, 1.2),
                       uniform({5}, 0.1, 3)}),
      .slips = {"term", "sign", {"near", Kind::NoEpsilon}}});
  family.add(Elementwise{.name = "angle_difference",  // 1 - cos(a - b), near zero: cancels
                         .forward = [](const variable_list& x) { return 1 - cos(x[0] - x[1]); },
                         .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
                           const Tensor s = sin(seen(x[0], slip) - x[1]);
                           return {slip("linear") ? x[0] - x[1] : s, slip("sign") ? s : -s};
                         },
                         .inputs = between(-0.4, 0.4, {3, 3}, 2),
                         .slips = {{"linear", Kind::AtSaturation}, "sign", "detached"}});
  family.add(Elementwise{.name = "minkowski_3",  // |a - b|^3
                         .forward = [](const variable_list& x) -> Tensor {
                           const Tensor d = abs(x[0] - x[1]);
                           return d * d * d;
                         },
                         .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
                           const Tensor d = seen(x[0], slip) - x[1];
                           const Tensor slope =
                               (slip("factor") ? 2 : 3) * d * (slip("sign") ? d : abs(d));
                           return {slope, -slope};
                         },
                         .inputs = between(-2, 2, {2, 5}, 2),
                         .slips = {"factor", "sign", "detached"},
                         .traits = {.kinks = true}});
}

/// Soft dynamic time warping of two series of lengths n and m, smoothed by 1 (Cuturi, Blondel
/// 2017): r(i, j) = (a_i - b_j)^2 + softmin of the three before, and its gradient backwards.
struct SoftWarp {
  std::size_t n, m;
  Numbers r;  // (n + 1, m + 1)

  double& at(std::size_t i, std::size_t j) { return r[i * (m + 1) + j]; }

  SoftWarp(const Numbers& a, const Numbers& b)
      : n(a.size()), m(b.size()), r((n + 1) * (m + 1), HUGE_VAL) {
    at(0, 0) = 0;
    for (std::size_t i = 1; i <= n; ++i)
      for (std::size_t j = 1; j <= m; ++j) {
        const double before[] = {at(i - 1, j - 1), at(i - 1, j), at(i, j - 1)};
        const double least = *std::min_element(before, before + 3);
        double total = 0;
        for (const double one : before) total += std::exp(least - one);
        const double d = a[i - 1] - b[j - 1];
        at(i, j) = d * d + least - std::log(total);
      }
  }

  /// How much the last r depends on each cost; rows of m.
  Numbers shares(const Slip& slip, const Numbers& a, const Numbers& b) {
    Numbers e((n + 2) * (m + 2));
    const auto cell = [&](std::size_t i, std::size_t j) -> double& { return e[i * (m + 2) + j]; };
    cell(n, m) = 1;
    const auto part = [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
      if (k > n || l > m) return 0.0;
      const double d = a[k - 1] - b[l - 1];
      return cell(k, l) * std::exp(at(k, l) - at(i, j) - d * d);
    };
    for (std::size_t i = n; i >= 1; --i)
      for (std::size_t j = m; j >= 1; --j)
        if (i != n || j != m)
          cell(i, j) = part(i, j, i + 1, j) + part(i, j, i, j + 1) +
                       (slip("diagonal") ? 0 : part(i, j, i + 1, j + 1));
    Numbers result;
    for (std::size_t i = 1; i <= n; ++i)
      for (std::size_t j = 1; j <= m; ++j) result.push_back(cell(i, j));
    return result;
  }
};

Authored soft_warp() {
  return {
      .name = "soft_dtw",
      .forward = [](const variable_list& x) -> variable_list {
        return {filled_like(x[0].sum(), {SoftWarp(numbers_of(x[0]), numbers_of(x[1])).r.back()})};
      },
      .backward = [](const Call& call) -> variable_list {
        const Numbers a = numbers_of(call.x[0]), b = numbers_of(call.x[1]);
        const Numbers shares = SoftWarp(a, b).shares(call.slip, a, b);
        const double given = call.slip("incoming") ? 1 : numbers_of(call.given[0])[0];
        Numbers of_a(a.size()), of_b(b.size());
        for (std::size_t i = 0; i < a.size(); ++i)
          for (std::size_t j = 0; j < b.size(); ++j) {
            const double one = 2 * given * shares[i * b.size() + j] * (a[i] - b[j]);
            of_a[i] += one;
            of_b[j] -= call.slip("sign") ? -one : one;
          }
        if (call.slip("last-block")) of_a.back() = 0;
        return {filled_like(call.x[0], of_a), filled_like(call.x[1], of_b)};
      },
      .inputs = drawn({uniform({4}, -2, 2), uniform({5}, -2, 2)}),
      .slips = {"diagonal", "incoming", "sign", "last-block"},
      .traits = {.order = 1}};
}

}  // namespace

void add_distances(std::vector<Entry>& entries) {
  Family family("distances", entries);
  add_rowwise(family);
  add_normalised(family);
  add_pointwise(family);
  family.add(soft_warp());
}

}  // namespace notape::verify::corpus
