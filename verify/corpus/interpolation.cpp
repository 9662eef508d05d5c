// Interpolation: linear, cubic, bilinear, in images and in tables.
#include <algorithm>
#include <cmath>

#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

/// The cell of a table of `size` knots 0, 1, ... that x lies in, and how far in.
struct Cell {
  std::size_t at;
  double share;
  Cell(double x, std::size_t size) {
    const double inside = std::clamp(x, 0.0, static_cast<double>(size - 1));
    at = std::min(static_cast<std::size_t>(inside), size - 2);
    share = inside - static_cast<double>(at);
  }
};

/// Places in [low, high), no nearer to a whole number than 1 / 32.
Tensor places(InputDraw& draw, int64_t count, double low, double high) {
  std::vector<double> knots;
  for (double knot = std::floor(low); knot <= high; ++knot) knots.push_back(knot);
  return draw.off_kinks({count}, low, high, knots, 0x1p-5);
}

const Traits kPieces = {.order = 1, .kinks = true};

Authored linear_table() {
  return {
      .name = "linear_table",  // x (6), table (5)
      .forward = [](const variable_list& in) -> variable_list {
        const Numbers x = numbers_of(in[0]), table = numbers_of(in[1]);
        Numbers y;
        for (const double one : x) {
          const Cell cell(one, table.size());
          y.push_back((1 - cell.share) * table[cell.at] + cell.share * table[cell.at + 1]);
        }
        return {filled_like(in[0], y)};
      },
      .backward = [](const Call& call) -> variable_list {
        const Numbers x = numbers_of(call.x[0]), table = numbers_of(call.x[1]);
        const Numbers given =
            call.slip("strided") ? as_if_contiguous(call.given[0]) : numbers_of(call.given[0]);
        Numbers of_x(x.size()), of_table(table.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
          const Cell cell(x[i], table.size());
          const bool outside = x[i] < 0 || x[i] > static_cast<double>(table.size() - 1);
          if (!outside || call.slip("outside"))
            of_x[i] = given[i] * (table[cell.at + 1] - table[cell.at]);
          double& low = of_table[cell.at];
          low = (call.slip("overwrites") ? 0 : low) + given[i] * (1 - cell.share);
          if (!call.slip("upper")) of_table[cell.at + 1] += given[i] * cell.share;
        }
        return {filled_like(call.x[0], of_x), filled_like(call.x[1], of_table)};
      },
      .inputs = [](InputDraw& draw) -> variable_list {
        return {places(draw, 6, -0.9, 4.9), draw.uniform({5}, -2, 2)};
      },
      .slips = {"overwrites", {"outside", Kind::WrongBranch}, {"upper", Kind::LostTerm}, "strided"},
      .traits = kPieces};
}

/// Hermite's basis and its slopes at t.
struct Hermite {
  double value[4], slope[4];
  Hermite(double t, const Slip& slip) {
    const double v[] = {(1 + 2 * t) * (1 - t) * (1 - t), t * (1 - t) * (1 - t), t * t * (3 - 2 * t),
                        t * t * (t - 1)};
    const double s[] = {6 * t * t - 6 * t,
                        (slip("basis") ? 3 * t * t - 4 * t : 3 * t * t - 4 * t + 1),
                        6 * t - 6 * t * t, 3 * t * t - 2 * t};
    std::copy(v, v + 4, value);
    std::copy(s, s + 4, slope);
  }
};

/// Between two knots with their tangents: x in (0, 1), p0, m0, p1 (m1 = 0.5).
Looped hermite() {
  return {.name = "cubic_hermite",
          .inputs_of_loop = 4,
          .forward = [](const double* x) -> double {
            const Hermite at(x[0], Slip());
            return at.value[0] * x[1] + at.value[1] * x[2] + at.value[2] * x[3] + at.value[3] * 0.5;
          },
          .slopes = [](const double* x, const Slip& slip, double* slopes) -> void {
            const Hermite at(x[0], slip);
            slopes[0] = at.slope[0] * x[1] + at.slope[1] * x[2] + at.slope[2] * x[3];
            if (!slip("term")) slopes[0] += at.slope[3] * 0.5;
            for (int k = 0; k < 3; ++k) slopes[k + 1] = at.value[k];
            if (slip("swapped")) std::swap(slopes[1], slopes[3]);
          },
          .inputs = drawn(
              {uniform({5}, 0, 1), uniform({5}, -2, 2), uniform({5}, -2, 2), uniform({5}, -2, 2)}),
          .slips = {{"basis", Kind::LostTerm}, "term", "swapped"}};
}

/// image (4, 5) at places (u, v) by rows, as grid_sample has it with zeros outside.
Authored bilinear() {
  constexpr int64_t kHeight = 4, kWidth = 5;
  struct Corner {
    std::size_t pixel;
    double du, dv, weight;  // slopes of the weight
  };
  const auto corners_of = [=](double u, double v) {
    std::vector<Corner> corners;
    const auto top = static_cast<int64_t>(std::floor(u)),
               left = static_cast<int64_t>(std::floor(v));
    const double a = u - std::floor(u), b = v - std::floor(v);
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 2; ++j) {
        const int64_t row = top + i, column = left + j;
        if (row < 0 || row >= kHeight || column < 0 || column >= kWidth) continue;
        const double p = i ? a : 1 - a, q = j ? b : 1 - b;
        corners.push_back({static_cast<std::size_t>(row * kWidth + column), (i ? 1 : -1) * q,
                           (j ? 1 : -1) * p, p * q});
      }
    return corners;
  };
  return {.name = "bilinear_sample",
          .forward = [=](const variable_list& x) -> variable_list {
            only_of_sizes(x[0], {kHeight, kWidth});
            only_of_sizes(x[2], x[1].sizes().vec());
            const Numbers image = numbers_of(x[0]), u = numbers_of(x[1]), v = numbers_of(x[2]);
            Numbers y(u.size());
            for (std::size_t i = 0; i < u.size(); ++i)
              for (const Corner& one : corners_of(u[i], v[i]))
                y[i] += one.weight * image[one.pixel];
            return {filled_like(x[1], y)};
          },
          .backward = [=](const Call& call) -> variable_list {
            const Numbers image = numbers_of(call.x[0]), u = numbers_of(call.x[1]),
                          v = numbers_of(call.x[2]), given = numbers_of(call.given[0]);
            Numbers of_image(image.size()), of_u(u.size()), of_v(v.size());
            for (std::size_t i = 0; i < u.size(); ++i)
              for (const Corner& one : corners_of(u[i], v[i])) {
                double& pixel = of_image[one.pixel];
                pixel = (call.slip("overwrites") ? 0 : pixel) + given[i] * one.weight;
                of_u[i] += given[i] * image[one.pixel] * one.du;
                of_v[i] += given[i] * image[one.pixel] * (call.slip("sign") ? -one.dv : one.dv);
              }
            if (call.slip("swapped")) std::swap(of_u, of_v);
            if (call.slip("scale"))
              for (double& one : of_u) one *= 0.5 * (kHeight - 1);
            return {filled_like(call.x[0], of_image), filled_like(call.x[1], of_u),
                    filled_like(call.x[2], of_v)};
          },
          .inputs = [](InputDraw& draw) -> variable_list {
            return {draw.uniform({kHeight, kWidth}, -1, 1), places(draw, 5, -0.5, 3.5),
                    places(draw, 5, -0.5, 4.5)};
          },
          .slips = {"overwrites", "sign", "swapped", "scale"},
          .traits = kPieces};
}

/// Catmull and Rom's spline through four neighbouring knots, in tensors: t (5), knots (4)
Authored catmull_rom() {
  const auto basis = [](const Tensor& t) {
    return stack({0.5 * (-t + 2 * t * t - t * t * t), 0.5 * (2 - 5 * t * t + 3 * t * t * t),
                  0.5 * (t + 4 * t * t - 3 * t * t * t), 0.5 * (t * t * t - t * t)},
                 1);
  };
  const auto slope = [](const Tensor& t, bool wrong) {
    return stack({0.5 * (-1 + 4 * t - 3 * t * t), 0.5 * (9 * t * t - (wrong ? 5 : 10) * t),
                  0.5 * (1 + 8 * t - 9 * t * t), 0.5 * (3 * t * t - 2 * t)},
                 1);
  };
  return {.name = "catmull_rom",
          .forward = [=](const variable_list& x) -> variable_list {
            return {sum(basis(x[0]) * x[1], 1)};
          },
          .backward = [=](const Call& call) -> variable_list {
            const Tensor t = call.slip("detached") ? call.x[0].detach() : call.x[0];
            const Tensor given = call.given[0].unsqueeze(1);
            const Tensor of_knots = given * basis(t);
            return {call.given[0] * sum(slope(t, call.slip("factor")) * call.x[1], 1),
                    call.slip("one-row") ? of_knots.select(0, 0) : sum(of_knots, 0)};
          },
          .inputs = drawn({uniform({5}, 0, 1), uniform({4}, -2, 2)}),
          .slips = {"factor", "one-row", "detached"}};
}

void add_blends(Family& family) {
  family.add(
      Elementwise{.name = "linear_blend",  // a + w (b - a)
                  .forward = [](const variable_list& x) { return x[0] + x[2] * (x[1] - x[0]); },
                  .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
                    const Tensor a = slip("one") ? ones_like(x[2]) : 1 - x[2];
                    return {a, slip("swapped") ? 1 - x[2] : x[2],
                            slip("detached") ? (x[1] - x[0]).detach()
                            : slip("sign")   ? x[0] - x[1]
                                             : x[1] - x[0]};
                  },
                  .inputs = between(-1, 2, {2, 4}, 3),
                  .slips = {{"one", Kind::LostTerm}, "swapped", "sign", "detached"}});
  family.add(Elementwise{.name = "smoothstep",  // 3 t^2 - 2 t^3 of t clamped to [0, 1]
                         .forward = [](const variable_list& x) -> Tensor {
                           const Tensor t = clamp(x[0], 0, 1);
                           return t * t * (3 - 2 * t);
                         },
                         .slopes = [](const variable_list& in, const Slip& slip) -> variable_list {
                           const Tensor t =
                               slip("clamp")
                                   ? in[0]
                                   : clamp(slip("detached") ? in[0].detach() : in[0], 0, 1);
                           return {(slip("factor") ? 3 : 6) * t * (1 - t)};
                         },
                         .inputs = drawn({off_kinks({2, 5}, -0.5, 1.5, {0, 1})}),
                         .slips = {{"clamp", Kind::WrongBranch}, "factor", "detached"},
                         .traits = {.kinks = true}});
}

}  // namespace

void add_interpolation(std::vector<Entry>& entries) {
  Family family("interpolation", entries);
  family.add(linear_table());
  family.add(hermite());
  family.add(bilinear());
  family.add(catmull_rom());
  add_blends(family);
}

}  // namespace notape::verify::corpus
