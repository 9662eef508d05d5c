// Small linear algebra, with adjoints of matrix calculus.
#include <cmath>

#include "ops/linalg.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/transcendental.h"
#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

/// The inverse of a (2, 2) matrix.
Tensor inverted(const Tensor& a) {
  const Tensor p = a.select(0, 0).select(0, 0), q = a.select(0, 0).select(0, 1),
               r = a.select(0, 1).select(0, 0), s = a.select(0, 1).select(0, 1);
  return stack({stack({s, -q}), stack({-r, p})}) / (p * s - q * r);
}

/// The cross product of two vectors of three.
Tensor crossed(const Tensor& a, const Tensor& b) {
  const auto at = [](const Tensor& x, int64_t i) { return x.select(0, i % 3); };
  variable_list parts;
  for (int64_t i = 0; i < 3; ++i)
    parts.push_back(at(a, i + 1) * at(b, i + 2) - at(a, i + 2) * at(b, i + 1));
  return stack(parts);
}

/// A square matrix near twice the identity.
Tensor regular(InputDraw& draw, int64_t size, double spread = 0.7) {
  const Tensor off = draw.uniform({size, size}, -spread, spread).detach();
  return constant(off + 2 * eye(size).to(kFloat64)).requires_grad_(true);
}

void add_inverses(Family& family) {
  family.add(
      Authored{.name = "inverse_2x2",  // gradient -Y^T G Y^T
               .forward = [](const variable_list& x) -> variable_list { return {inverted(x[0])}; },
               .backward = [](const Call& call) -> variable_list {
                 const Tensor y = inverted(seen(call.x[0], call.slip));
                 const Tensor side = call.slip("transposed") ? y : t(y);
                 if (call.slip("sign")) return {mm(mm(t(y), call.given[0]), t(y))};
                 return {-mm(mm(side, call.given[0]), side)};
               },
               .jvp = [](const Call& call) -> variable_list {
                 return {-mm(mm(call.y[0], call.given[0]), call.y[0])};
               },
               .inputs = [](InputDraw& draw) -> variable_list { return {regular(draw, 2)}; },
               .slips = {"transposed", "sign", "detached"}});
  family.add(Authored{.name = "det_3x3",  // gradient: the cofactors
                      .forward = [](const variable_list& x) -> variable_list {
                        const Tensor& a = x[0];
                        return {sum(a.select(0, 0) * crossed(a.select(0, 1), a.select(0, 2)))};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Tensor a = seen(call.x[0], call.slip);
                        const auto row = [&](int64_t i) { return a.select(0, i % 3); };
                        Tensor cofactors = stack({crossed(row(1), row(2)), crossed(row(2), row(0)),
                                                  crossed(row(0), row(1))});
                        if (call.slip("transposed")) cofactors = t(cofactors);
                        if (call.slip("sign")) cofactors = abs(cofactors);
                        return {call.given[0] * cofactors};
                      },
                      .inputs = between(-2, 2, {3, 3}),
                      .slips = {"transposed", "sign", "detached"}});
}

void add_functions_of_matrices(Family& family) {
  family.add(Authored{.name = "log_det_2x2",
                      .forward = [](const variable_list& x) -> variable_list {
                        const Tensor& a = x[0];
                        return {log(a.select(0, 0).select(0, 0) * a.select(0, 1).select(0, 1) -
                                    a.select(0, 0).select(0, 1) * a.select(0, 1).select(0, 0))};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Tensor y = inverted(seen(call.x[0], call.slip));
                        if (call.slip("diagonal"))
                          return {call.given[0] * t(y) * eye(2).to(kFloat64)};
                        return {call.given[0] * (call.slip("transposed") ? y : t(y))};
                      },
                      .inputs = [](InputDraw& draw) -> variable_list { return {regular(draw, 2)}; },
                      .slips = {"diagonal", "transposed", "detached"}});
  family.add(Authored{.name = "cayley",  // (I - A)^-1 (I + A) of the skew part of A (2, 2)
                      .forward = [](const variable_list& x) -> variable_list {
                        const Tensor a = 0.5 * (x[0] - t(x[0])), one = eye(2).to(kFloat64);
                        return {mm(inverted(one - a), one + a)};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Tensor x = seen(call.x[0], call.slip);
                        const Tensor a = 0.5 * (x - t(x)), one = eye(2).to(kFloat64);
                        const Tensor left = t(inverted(one - a)), given = mm(left, call.given[0]);
                        const Tensor of_a =
                            given + (call.slip("term")
                                         ? zeros_like(given)
                                         : mm(given, t(mm(inverted(one - a), one + a))));
                        return {call.slip("half") ? of_a - t(of_a) : 0.5 * (of_a - t(of_a))};
                      },
                      .inputs = between(-1.5, 1.5, {2, 2}),
                      .slips = {"term", "half", "detached"}});
}

void add_forms(Family& family) {
  family.add(
      Authored{.name = "quadratic_form",  // x^T A x
               .forward = [](const variable_list& x) -> variable_list {
                 return {dot(x[0], mm(x[1], x[0].unsqueeze(1)).squeeze(1))};
               },
               .backward = [](const Call& call) -> variable_list {
                 const Tensor column = seen(call.x[0], call.slip).unsqueeze(1), &a = call.x[1];
                 const Tensor of_x =
                     mm(a, column) + (call.slip("symmetric") ? mm(a, column) : mm(t(a), column));
                 return {call.given[0] * (call.slip("tied") ? mm(a, column) : of_x).squeeze(1),
                         call.slip("missing") ? Tensor() : call.given[0] * mm(column, t(column))};
               },
               .inputs = drawn({uniform({3}, -2, 2), uniform({3, 3}, -2, 2)}),
               .slips = {{"symmetric", Kind::LostTerm}, "tied", "missing", "detached"}});
  family.add(Authored{
      .name = "bilinear_form",  // by rows: x_n^T A y_n
      .forward = [](const variable_list& x) -> variable_list {
        return {sum(mm(x[0], x[1]) * x[2], 1)};
      },
      .backward = [](const Call& call) -> variable_list {
        const Tensor &x = call.x[0], &a = call.x[1], &y = call.x[2];
        const Tensor given = call.given[0].unsqueeze(1);
        return {mm(given * y, call.slip("transposed") ? a : t(a)),
                call.slip("mean") ? mm(t(x), given * y) / 4 : mm(t(given * x), y),
                call.slip("incoming") ? mm(x, a) : given * mm(x, a)};
      },
      .inputs = drawn({uniform({4, 3}, -2, 2), uniform({3, 3}, -2, 2), uniform({4, 3}, -2, 2)}),
      .slips = {"transposed", {"mean", Kind::LostFactor}, "incoming"}});
  family.add(Authored{
      .name = "outer_product",
      .forward = [](const variable_list& x) -> variable_list { return {outer(x[0], x[1])}; },
      .backward = [](const Call& call) -> variable_list {
        const Numbers given =
            call.slip("strided") ? as_if_contiguous(call.given[0]) : numbers_of(call.given[0]);
        const Numbers a = numbers_of(call.x[0]), b = numbers_of(call.x[1]);
        Numbers of_a(a.size()), of_b(b.size());
        for (std::size_t i = 0; i < a.size(); ++i)
          for (std::size_t j = 0; j < b.size(); ++j) {
            of_a[i] += given[i * b.size() + j] * b[j];
            of_b[j] += given[i * b.size() + j] * a[call.slip("place") ? j : i];
          }
        return {filled_like(call.x[0], of_a), filled_like(call.x[1], of_b)};
      },
      .inputs = drawn({uniform({5}, -2, 2), uniform({3}, -2, 2)}),
      .slips = {"strided", {"place", Kind::WrongAxis}},
      .traits = {.order = 1}});
}

void add_products_of_matrices(Family& family) {
  family.add(Authored{
      .name = "trace_of_product",
      .forward = [](const variable_list& x) -> variable_list { return {sum(x[0] * t(x[1]))}; },
      .backward = [](const Call& call) -> variable_list {
        const Tensor &a = call.x[0], &b = call.x[1], &given = call.given[0];
        return {given * (call.slip("transposed") ? b : t(b)),
                call.slip("missing") ? Tensor() : given * t(call.slip("swapped") ? b : a)};
      },
      .inputs = between(-2, 2, {3, 3}, 2),
      .slips = {"transposed", "missing", "swapped"}});
  family.add(Authored{
      .name = "power_step",  // A x / |A x|
      .forward = [](const variable_list& x) -> variable_list {
        const Tensor y = mm(x[0], x[1].unsqueeze(1)).squeeze(1);
        return {y / sqrt(dot(y, y))};
      },
      .backward = [](const Call& call) -> variable_list {
        const Tensor y = mm(call.x[0], call.x[1].unsqueeze(1)).squeeze(1);
        const Tensor size = sqrt(dot(y, y)), unit = y / size, &given = call.given[0];
        const Tensor pull = call.slip("term") ? zeros_like(y) : unit * dot(unit, given);
        const Tensor of_y = (given - pull) / (call.slip("factor") ? ones_like(size) : size);
        const Tensor& a = call.slip("transposed") ? call.x[0] : t(call.x[0]);
        return {outer(of_y, call.x[1]), mm(a, of_y.unsqueeze(1)).squeeze(1)};
      },
      .inputs = [](InputDraw& draw) -> variable_list {
        return {regular(draw, 3), draw.uniform({3}, 0.5, 2)};
      },
      .slips = {"term", "factor", "transposed"}});
}

void add_layers(Family& family) {
  family.add(Authored{
      .name = "linear_layer",  // x W^T + b
      .forward = [](const variable_list& x) -> variable_list { return {mm(x[0], t(x[1])) + x[2]}; },
      .backward = [](const Call& call) -> variable_list {
        const Tensor& given = call.given[0];
        const Tensor of_bias = call.slip("axis") ? sum(given, 1) : sum(given, 0);
        return {mm(given, call.x[1]),
                call.slip("mean") ? mm(t(given), call.x[0]) / 3 : mm(t(given), call.x[0]),
                call.slip("missing") ? Tensor() : of_bias};
      },
      .inputs = drawn({uniform({3, 4}, -2, 2), uniform({3, 4}, -1, 1), uniform({3}, -1, 1)}),
      .slips = {"axis", {"mean", Kind::LostFactor}, "missing"}});
  family.add(Authored{
      .name = "tied_autoencoder",  // tanh(x W) W^T
      .forward = [](const variable_list& x) -> variable_list {
        return {mm(tanh(mm(x[0], x[1])), t(x[1]))};
      },
      .backward = [](const Call& call) -> variable_list {
        const Tensor &x = call.x[0], w = seen(call.x[1], call.slip), &given = call.given[0];
        const Tensor hidden = tanh(mm(x, w));
        const Tensor of_sum = mm(given, w) * (1 - hidden * hidden);
        const Tensor encoder = mm(t(x), of_sum), decoder = mm(t(given), hidden);
        return {mm(of_sum, t(w)), call.slip("encoder")   ? encoder
                                  : call.slip("decoder") ? decoder
                                                         : encoder + decoder};
      },
      .inputs = drawn({uniform({2, 4}, -2, 2), uniform({4, 3}, -1, 1)}),
      .slips = {{"encoder", Kind::TiedWeights}, {"decoder", Kind::TiedWeights}, "detached"}});
  family.add(Authored{
      .name = "gram",  // X X^T
      .forward = [](const variable_list& x) -> variable_list { return {mm(x[0], t(x[0]))}; },
      .backward = [](const Call& call) -> variable_list {
        const Tensor &given = call.given[0], x = seen(call.x[0], call.slip);
        if (call.slip("tied")) return {mm(given, x)};
        if (call.slip("symmetric")) return {2 * mm(given, x)};
        return {mm(given + t(given), x)};
      },
      .inputs = between(-2, 2, {3, 4}),
      .slips = {"tied", {"symmetric", Kind::WrongAxis}, "detached"}});
}

/// Loops that skip zeros, and iterations that end at a fixed point.
void add_loops(Family& family) {
  family.add(Authored{.name = "sparse_dot",  // many weights are 0, and their products are left out
                      .forward = [](const variable_list& x) -> variable_list {
                        const Numbers weights = numbers_of(x[0]), values = numbers_of(x[1]);
                        double sum = 0;
                        for (std::size_t i = 0; i < weights.size(); ++i)
                          if (weights[i] != 0) sum += weights[i] * values[i];
                        return {make_tensor({sum}, {}, x[0].dtype())};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Tensor &v = call.given[0], &w = call.x[0], &at = call.x[1];
                        const Tensor kept = (w != 0).to(w.dtype());
                        return {v * at * (call.slip("zeros") ? kept : ones_like(w)),
                                call.slip("missing") ? Tensor()
                                                     : v * w * (call.slip("factor") ? 2 : 1)};
                      },
                      .inputs = [](InputDraw& draw) -> variable_list {
                        const Tensor w = draw.uniform({6}, -1, 1).detach() * draw.bits({6});
                        w.data_ptr<double>()[2] = 0;
                        return {constant(w).requires_grad_(true), draw.uniform({6}, 0.5, 2)};
                      },
                      .slips = {{"zeros", Kind::WrongBranch}, "missing", "factor"},
                      .traits = {.order = 1}});
  family.add(
      Authored{.name = "fixed_point",  // z = tanh(W z + b), a contraction; its adjoint is one, too
               .forward = [](const variable_list& x) -> variable_list {
                 only_of_sizes(x[0], {3, 3});
                 Tensor z = zeros_like(x[1]);
                 for (int i = 0; i < 50; ++i) z = tanh(matmul(x[0], z) + x[1]);
                 return {z};
               },
               .backward = [](const Call& call) -> variable_list {
                 const Tensor z = call.y[0], slope = 1 - z * z, v = call.given[0];
                 Tensor u = v;
                 for (int i = 0; i < (call.slip("one-step") ? 0 : 50); ++i)
                   u = v + matmul(call.slip("transposed") ? call.x[0] : t(call.x[0]), slope * u);
                 const Tensor by_b = slope * u;
                 return {unsqueeze(by_b, 1) * unsqueeze(z, 0), call.slip("slope") ? u : by_b};
               },
               .inputs = drawn({uniform({3, 3}, -0.16, 0.14), uniform({3}, -0.5, 0.5)}),
               .slips = {{"one-step", Kind::LostTerm}, "transposed", {"slope", Kind::LostFactor}},
               .traits = {.order = 1}});
}

}  // namespace

void add_linear_algebra(std::vector<Entry>& entries) {
  Family family("linear-algebra", entries);
  add_inverses(family);
  add_functions_of_matrices(family);
  add_forms(family);
  add_products_of_matrices(family);
  add_layers(family);
  add_loops(family);
}

}  // namespace notape::verify::corpus
