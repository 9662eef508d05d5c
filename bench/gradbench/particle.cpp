// A charge flies past two others, whose force is the slope of a potential; where it lands depends
// on the place of one of them, which descends to where it lands best.
#include "descent.h"

using namespace gradbench;

Tensor landing(Mode inner, const Tensor& w) {
  const Tensor first = tensor({10.0, 10.0}, dtype(kFloat64)) - cat({zeros_like(w), w});
  const Tensor second = tensor({10.0, 0.0}, dtype(kFloat64));
  const Field potential = [&](const Tensor& x) {
    return (first - x).square().sum().rsqrt() + (second - x).square().sum().rsqrt();
  };
  Tensor x = tensor({0.0, 8.0}, dtype(kFloat64)), v = tensor({0.75, 0.0}, dtype(kFloat64));
  for (const double dt = 0.1;;) {
    const Tensor slope = gradient(inner, potential, x, /*is_inner=*/true);
    x = x.add(v, dt);
    if (x[1].item<double>() <= 0) return (x[0] - v[0] * x[1] / v[1]).square();
    v = v.sub(slope, dt);
  }
}

int main(int count, char** arguments) {
  std::map<std::string, Function> functions;
  for (const std::string name : {"rr", "rf", "fr", "ff"})
    functions[name] = [name](const Json& input) {
      const Tensor start = to_tensor(input["w"]).view({1});
      return to_json(timed(input, [&] {
        const auto landed = [&](const Tensor& w) { return landing(mode_of(name[1]), w); };
        return descend(mode_of(name[0]), landed, start, /*is_inner=*/false)[0];
      }));
    };
  return run(count, arguments, functions);
}
