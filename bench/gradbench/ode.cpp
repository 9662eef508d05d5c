// y' = F(y) with F_0 = x_0 and F_i = x_i y_(i-1), from y(0) = 0 to time 2 by Runge and Kutta's
// steps.
#include "gradbench.h"

using namespace gradbench;

Tensor integrate(const Tensor& x, int64_t steps) {
  const int64_t n = x.size(0);
  const double h = 2.0 / static_cast<double>(steps);
  const Tensor one = ones({1}, dtype(kFloat64));
  const auto slope = [&](const Tensor& y) { return x * cat({one, y.narrow(0, 0, n - 1)}); };
  Tensor y = zeros({n}, dtype(kFloat64));
  for (int64_t i = 0; i < steps; ++i) {
    const Tensor k1 = slope(y);
    const Tensor k2 = slope(y.add(k1, h / 2));
    const Tensor k3 = slope(y.add(k2, h / 2));
    const Tensor k4 = slope(y.add(k3, h));
    y = y.add((k2 + k3).mul(2.0) + k1 + k4, h / 6);
  }
  return y;
}

int main(int count, char** arguments) {
  return run(count, arguments,
             {{"primal",
               [](const Json& input) {
                 const Tensor x = to_tensor(input["x"]);
                 return to_json(timed(input, [&] { return integrate(x, input["s"]); }));
               }},
              {"gradient", [](const Json& input) {
                 const Tensor x = leaf(to_tensor(input["x"]));
                 return to_json(timed(
                     input, [&] { return gradient(integrate(x, input["s"]).select(0, -1), x); }));
               }}});
}
