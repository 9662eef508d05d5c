// ba's Jacobian as one would write it by hand: the derivatives of each step, an observation at a
// time.
#include <array>
#include <cmath>

#include "../gradbench.h"

using namespace gradbench;

using Three = std::array<double, 3>;

Three cross(const Three& a, const Three& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Three& a, const Three& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct Scene {
  explicit Scene(const Json& in) : n(in["n"]), m(in["m"]), p(in["p"]) {
    for (std::size_t i = 0; i < n; ++i) cameras.push_back(in["cam"]);
    for (std::size_t i = 0; i < m; ++i) points.push_back(in["x"]);
    weights.assign(p, in["w"]);
    features.assign(p, in["feat"]);
  }
  std::size_t n, m, p;
  std::vector<std::array<double, 11>> cameras;
  std::vector<Three> points;
  std::vector<double> weights;
  std::vector<std::array<double, 2>> features;
};

/// The errors of an observation; writes two rows of 15 derivatives if there is room for them.
std::array<double, 2> project(const std::array<double, 11>& c, const Three& x, double w,
                              const std::array<double, 2>& feature, double* rows) {
  const Three r{c[0], c[1], c[2]}, v{x[0] - c[3], x[1] - c[4], x[2] - c[5]};
  const double angle = std::sqrt(dot(r, r)), sine = std::sin(angle), cosine = std::cos(angle);
  Three a{}, seen = v, moment = cross(r, v);
  if (angle > 0) {
    a = {r[0] / angle, r[1] / angle, r[2] / angle};
    moment = cross(a, v);
  }
  const double along = dot(a, v);
  for (std::size_t i = 0; i < 3; ++i)
    seen[i] = angle > 0 ? v[i] * cosine + moment[i] * sine + a[i] * along * (1 - cosine)
                        : v[i] + moment[i];
  const std::array<double, 2> u{seen[0] / seen[2], seen[1] / seen[2]};
  const double q = u[0] * u[0] + u[1] * u[1], scale = 1 + c[9] * q + c[10] * q * q;
  std::array<double, 2> error{};
  for (std::size_t i = 0; i < 2; ++i) error[i] = c[6] * u[i] * scale + c[7 + i] - feature[i];
  if (rows) {
    // Columns: by the rotation's three numbers, and by the three of what is rotated.
    std::array<Three, 6> by{};
    for (std::size_t k = 0; k < 3; ++k) {
      Three unit{};
      unit[k] = 1;
      const Three turned = cross(angle > 0 ? a : r, unit);
      for (std::size_t i = 0; i < 3; ++i)
        by[3 + k][i] = angle > 0 ? unit[i] * cosine + turned[i] * sine + a[i] * a[k] * (1 - cosine)
                                 : unit[i] + turned[i];
      if (angle == 0) {
        by[k] = cross(unit, v);
        continue;
      }
      Three axis{};
      for (std::size_t i = 0; i < 3; ++i) axis[i] = (unit[i] - a[i] * a[k]) / angle;
      const Three moved = cross(axis, v);
      const double change = dot(axis, v);
      for (std::size_t i = 0; i < 3; ++i)
        by[k][i] = -v[i] * sine * a[k] + moved[i] * sine + moment[i] * cosine * a[k] +
                   (axis[i] * along + a[i] * change) * (1 - cosine) + a[i] * along * sine * a[k];
    }
    const double slope = c[9] + 2 * c[10] * q;
    for (std::size_t i = 0; i < 2; ++i, rows += 15) {
      Three by_seen{};
      for (std::size_t j = 0; j < 2; ++j) {
        const double by_u = c[6] * ((i == j ? scale : 0) + u[i] * slope * 2 * u[j]);
        by_seen[j] = w * by_u / seen[2];
        by_seen[2] -= w * by_u * u[j] / seen[2];
      }
      for (std::size_t k = 0; k < 3; ++k) {
        rows[k] = dot(by_seen, by[k]);
        rows[11 + k] = dot(by_seen, by[3 + k]);
        rows[3 + k] = -rows[11 + k];
      }
      rows[6] = w * u[i] * scale;
      rows[7 + i] = w;
      rows[8 - i] = 0;
      rows[9] = w * c[6] * u[i] * q;
      rows[10] = rows[9] * q;
      rows[14] = error[i];
    }
  }
  return {w * error[0], w * error[1]};
}

struct Sparse {
  std::vector<int64_t> rows, columns;
  std::vector<double> values;
};

Sparse jacobian(const Scene& in) {
  Sparse result{{}, std::vector<int64_t>(31 * in.p), std::vector<double>(31 * in.p)};
  for (std::size_t i = 0; i <= 3 * in.p; ++i)
    result.rows.push_back(static_cast<int64_t>(i <= 2 * in.p ? 15 * i : 28 * in.p + i));
  for (std::size_t i = 0; i < in.p; ++i) {
    project(in.cameras[i % in.n], in.points[i % in.m], in.weights[i], in.features[i],
            &result.values[30 * i]);
    result.values[30 * in.p + i] = -2 * in.weights[i];
    const std::size_t weight = 11 * in.n + 3 * in.m + i;
    result.columns[30 * in.p + i] = static_cast<int64_t>(weight);
    for (std::size_t row = 0; row < 2; ++row)
      for (std::size_t j = 0; j < 15; ++j)
        result.columns[30 * i + 15 * row + j] =
            static_cast<int64_t>(j < 11   ? 11 * (i % in.n) + j
                                 : j < 14 ? 11 * in.n + 3 * (i % in.m) + j - 11
                                          : weight);
  }
  return result;
}

template <typename Number>
Json ends(const std::vector<Number>& all) {
  Json list(std::vector<Number>(all.begin(),
                                all.begin() + std::min<std::ptrdiff_t>(30, std::ssize(all))));
  list.push_back(all.back());
  return list;
}

int main(int count, char** arguments) {
  return run(count, arguments,
             {{"objective",
               [](const Json& input) {
                 const Scene in(input);
                 std::vector<double> weights(in.p);
                 const auto errors = timed(input, [&] {
                   std::vector<std::array<double, 2>> all(in.p);
                   for (std::size_t i = 0; i < in.p; ++i) {
                     all[i] = project(in.cameras[i % in.n], in.points[i % in.m], in.weights[i],
                                      in.features[i], nullptr);
                     weights[i] = 1 - in.weights[i] * in.weights[i];
                   }
                   return all;
                 });
                 return Json{{"reproj_error", {{"elements", errors[0]}, {"repeated", in.p}}},
                             {"w_err", {{"element", weights[0]}, {"repeated", in.p}}}};
               }},
              {"jacobian", [](const Json& input) {
                 const Scene in(input);
                 const Sparse found = timed(input, [&] { return jacobian(in); });
                 return Json{{"rows", ends(found.rows)},
                             {"cols", ends(found.columns)},
                             {"vals", ends(found.values)}};
               }}});
}
