// llsq's gradient as one would write it by hand, with plain loops.
#include "../gradbench.h"

using namespace gradbench;

using Numbers = std::vector<double>;

double residual(const Numbers& x, double t) {
  double sum = t > 0 ? 1 : t < 0 ? -1 : 0, power = 1;
  for (const double one : x) {
    sum -= one * power;
    power *= t;
  }
  return sum;
}

double point(int64_t i, int64_t n) {
  return -1 + 2 * static_cast<double>(i) / static_cast<double>(n - 1);
}

double loss(const Numbers& x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double r = residual(x, point(i, n));
    sum += r * r / 2;
  }
  return sum;
}

Numbers loss_gradient(const Numbers& x, int64_t n) {
  Numbers result(x.size());
  for (int64_t i = 0; i < n; ++i) {
    const double t = point(i, n), r = residual(x, t);
    double power = 1;
    for (double& one : result) {
      one -= r * power;
      power *= t;
    }
  }
  return result;
}

int main(int count, char** arguments) {
  const auto on = [](auto f) {
    return [f](const Json& input) {
      const auto x = input["x"].get<Numbers>();
      return Json(timed(input, [&] { return f(x, input["n"].get<int64_t>()); }));
    };
  };
  return run(count, arguments, {{"primal", on(loss)}, {"gradient", on(loss_gradient)}});
}
