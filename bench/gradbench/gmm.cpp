// The log posterior of a mixture of Gaussians. What the observations share is computed once; they
// are taken in blocks, each with one product of matrices for all Gaussians, which stays in the
// cache.
#include <cmath>
#include <numbers>

#include "gradbench.h"

using namespace gradbench;

struct Mixture {
  explicit Mixture(const Json& input)
      : d(input["d"]),
        k(input["k"]),
        n(input["n"]),
        m(input["m"]),
        gamma(input["gamma"]),
        x(to_tensor(input["x"])),
        parameters{leaf(to_tensor(input["alpha"])), leaf(to_tensor(input["mu"])),
                   leaf(to_tensor(input["q"])), leaf(to_tensor(input["l"]))} {}
  int64_t d, k, n, m;
  double gamma;
  Tensor x;
  std::vector<Tensor> parameters;  ///< alpha, mu, q, l
};

/// Of each Gaussian: Q (k, d, d), Q mu (k, d) and alpha + sum q (k).
std::vector<Tensor> prepare(const Mixture& in) {
  const Tensor &alpha = in.parameters[0], &mu = in.parameters[1], &q = in.parameters[2];
  std::vector<int64_t> place(static_cast<std::size_t>(in.d * in.d), in.d * (in.d + 1) / 2);  // of 0
  int64_t next = in.d;
  for (int64_t column = 0; column < in.d; ++column) {
    place[static_cast<std::size_t>(column * in.d + column)] = column;
    for (int64_t row = column + 1; row < in.d; ++row)
      place[static_cast<std::size_t>(row * in.d + column)] = next++;
  }
  const Tensor zero = zeros({in.k, 1}, dtype(kFloat64));
  const Tensor factors = cat({q.exp(), in.parameters[3], zero}, 1)
                             .index_select(1, tensor(place))
                             .view({in.k, in.d, in.d});
  return {factors, factors.bmm(mu.unsqueeze(2)).squeeze(2), alpha + q.sum(1)};
}

/// The terms of one block of observations.
Tensor of_block(const Mixture& in, const std::vector<Tensor>& shared, int64_t first,
                int64_t length) {
  const Tensor factors = shared[0].view({in.k * in.d, in.d});
  const Tensor z =
      addmm(shared[1].view({1, in.k * in.d}), in.x.narrow(0, first, length), factors.t(), -1);
  return logsumexp(shared[2] - z.view({length, in.k, in.d}).square().sum(2) * 0.5, 1).sum();
}

template <typename F>
void for_blocks(const Mixture& in, const F& f) {
  const int64_t length = std::max<int64_t>(4, 65536 / (in.k * in.d));
  for (int64_t first = 0; first < in.n; first += length) f(first, std::min(length, in.n - first));
}

/// What does not depend on observations.
Tensor prior(const Mixture& in) {
  const Tensor &alpha = in.parameters[0], &q = in.parameters[2], &l = in.parameters[3];
  const double n = static_cast<double>(in.n), d = static_cast<double>(in.d);
  const double m = static_cast<double>(in.m), p = d + m + 1;
  double constant = p * d * (std::log(in.gamma) - std::numbers::ln2 / 2) -
                    d * (d - 1) / 4 * std::log(std::numbers::pi);
  for (int64_t j = 1; j <= in.d; ++j) constant -= std::lgamma((p + 1 - static_cast<double>(j)) / 2);
  return alpha.logsumexp({0}) * -n -
         (q.exp().square().sum() + l.square().sum()) * (in.gamma * in.gamma / 2) + q.sum() * m +
         (static_cast<double>(in.k) * constant - n * d / 2 * std::log(2 * std::numbers::pi));
}

Tensor objective(const Mixture& in) {
  const NoGradGuard no_grad;
  const std::vector<Tensor> shared = prepare(in);
  Tensor sum = prior(in);
  for_blocks(in,
             [&](int64_t first, int64_t length) { sum += of_block(in, shared, first, length); });
  return sum;
}

/// By alpha, mu, q and l: blocks give gradients by what they share, of which one backward is left.
std::vector<Tensor> jacobian(const Mixture& in) {
  std::vector<Tensor> shared = prepare(in), leaves, gradients;
  for (const Tensor& one : shared) leaves.push_back(leaf(one));
  for_blocks(
      in, [&](int64_t first, int64_t length) { of_block(in, leaves, first, length).backward(); });
  for (const Tensor& one : leaves) gradients.push_back(one.grad());
  shared.push_back(prior(in));
  gradients.emplace_back();
  return autograd::grad(shared, in.parameters, gradients);
}

int main(int count, char** arguments) {
  return run(count, arguments,
             {{"objective",
               [](const Json& input) {
                 const Mixture in(input);
                 return to_json(timed(input, [&] { return objective(in); }));
               }},
              {"jacobian", [](const Json& input) {
                 const Mixture in(input);
                 const std::vector<Tensor> by = timed(input, [&] { return jacobian(in); });
                 return Json{{"alpha", to_json(by[0])},
                             {"mu", to_json(by[1])},
                             {"q", to_json(by[2])},
                             {"l", to_json(by[3])}};
               }}});
}
