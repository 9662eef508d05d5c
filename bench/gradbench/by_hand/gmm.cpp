// gmm's gradient as one would write it by hand, with plain loops over the lower triangles.
#include <cmath>
#include <numbers>

#include "../gradbench.h"

using namespace gradbench;

using Row = std::vector<double>;
using Rows = std::vector<Row>;

struct Input {
  explicit Input(const Json& in)
      : d(in["d"]),
        k(in["k"]),
        n(in["n"]),
        m(in["m"]),
        gamma(in["gamma"]),
        x(in["x"].get<Rows>()),
        mu(in["mu"].get<Rows>()),
        q(in["q"].get<Rows>()),
        l(in["l"].get<Rows>()),
        alpha(in["alpha"].get<Row>()) {}
  std::size_t d, k, n;
  double m, gamma;
  Rows x, mu, q, l;
  Row alpha;
};

struct Gradient {
  Row alpha;
  Rows mu, q, l;
};

/// exp(v_i) over their sum goes to v; returns log of the sum.
double normalize(Row& v) {
  const double largest = *std::max_element(v.begin(), v.end());
  double sum = 0;
  for (double& one : v) sum += one = std::exp(one - largest);
  for (double& one : v) one /= sum;
  return largest + std::log(sum);
}

/// z = Q (x - mu), with x - mu in `centred`. Columns of Q stand one behind the other.
void transform(const Input& in, const Row& diagonal, std::size_t j, const Row& x, Row& centred,
               Row& z) {
  for (std::size_t a = 0; a < in.d; ++a) {
    centred[a] = x[a] - in.mu[j][a];
    z[a] = diagonal[a] * centred[a];
  }
  const double* below = in.l[j].data();
  for (std::size_t column = 0; column < in.d; ++column)
    for (std::size_t row = column + 1; row < in.d; ++row) z[row] += *below++ * centred[column];
}

/// The log posterior; adds its gradient if there is one to add to.
double evaluate(const Input& in, Gradient* by) {
  Rows diagonal = in.q;
  Row shift = in.alpha, likely(in.k), centred(in.d);
  Rows z(in.k, Row(in.d));
  const auto d = static_cast<double>(in.d), n = static_cast<double>(in.n), p = d + in.m + 1;
  double result = -n * d / 2 * std::log(2 * std::numbers::pi);
  double constant = p * d * (std::log(in.gamma) - std::numbers::ln2 / 2) -
                    d * (d - 1) / 4 * std::log(std::numbers::pi);
  for (std::size_t j = 1; j <= in.d; ++j)
    constant -= std::lgamma((p + 1 - static_cast<double>(j)) / 2);
  for (std::size_t j = 0; j < in.k; ++j) {
    double squares = 0, sum = 0;
    for (std::size_t a = 0; a < in.d; ++a) {
      sum += in.q[j][a];
      const double e = diagonal[j][a] = std::exp(in.q[j][a]);
      squares += e * e;
      if (by) by->q[j][a] += in.m - in.gamma * in.gamma * e * e;
    }
    for (std::size_t a = 0; a < in.l[j].size(); ++a) {
      squares += in.l[j][a] * in.l[j][a];
      if (by) by->l[j][a] -= in.gamma * in.gamma * in.l[j][a];
    }
    shift[j] += sum;
    result += constant + in.m * sum - in.gamma * in.gamma / 2 * squares;
  }
  Row shares = in.alpha;
  result -= n * normalize(shares);
  for (std::size_t j = 0; by && j < in.k; ++j) by->alpha[j] -= n * shares[j];
  for (const Row& x : in.x) {
    for (std::size_t j = 0; j < in.k; ++j) {
      transform(in, diagonal[j], j, x, centred, z[j]);
      likely[j] = shift[j];
      for (const double one : z[j]) likely[j] -= one * one / 2;
    }
    result += normalize(likely);
    for (std::size_t j = 0; by && j < in.k; ++j) {
      const double w = likely[j];
      by->alpha[j] += w;
      for (std::size_t a = 0; a < in.d; ++a) {
        centred[a] = x[a] - in.mu[j][a];
        by->q[j][a] += w * (1 - z[j][a] * diagonal[j][a] * centred[a]);
        by->mu[j][a] += w * z[j][a] * diagonal[j][a];
      }
      const double* below = in.l[j].data();
      double* slope = by->l[j].data();
      for (std::size_t column = 0; column < in.d; ++column)
        for (std::size_t row = column + 1; row < in.d; ++row, ++below, ++slope) {
          *slope -= w * z[j][row] * centred[column];
          by->mu[j][column] += w * z[j][row] * *below;
        }
    }
  }
  return result;
}

int main(int count, char** arguments) {
  return run(count, arguments,
             {{"objective",
               [](const Json& json) {
                 const Input in(json);
                 return Json(timed(json, [&] { return evaluate(in, nullptr); }));
               }},
              {"jacobian", [](const Json& json) {
                 const Input in(json);
                 const Gradient by = timed(json, [&] {
                   const Rows zeros(in.k, Row(in.d));
                   Gradient made{Row(in.k), zeros, zeros, Rows(in.k, Row(in.d * (in.d - 1) / 2))};
                   evaluate(in, &made);
                   return made;
                 });
                 return Json{{"alpha", by.alpha}, {"mu", by.mu}, {"q", by.q}, {"l", by.l}};
               }}});
}
