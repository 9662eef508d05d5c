// Least squares of a polynomial, with coefficients x, that shall be the sign of t in [-1, 1].
// Points are taken in blocks, whose powers stay in the cache.
#include "gradbench.h"

using namespace gradbench;

constexpr int64_t kBlock = 256;

/// t^0 .. t^(count-1), a power a row: each step doubles how many there are.
Tensor powers(const Tensor& t, int64_t count) {
  Tensor result = empty({count, t.size(0)}, dtype(kFloat64));
  result[0].fill_(1.0);
  Tensor next = t;
  for (int64_t known = 1; known < count; known *= 2, next = next * next) {
    const int64_t more = std::min(known, count - known);
    Tensor rows = result.narrow(0, known, more);
    mul_out(rows, result.narrow(0, 0, more), next);
  }
  return result;
}

/// The sum over the points from `first` on.
Tensor block_loss(const Tensor& x, int64_t first, int64_t n) {
  const int64_t end = std::min(first + kBlock, n);
  const Tensor t = arange(first, end, dtype(kFloat64)) * (2.0 / static_cast<double>(n - 1)) - 1;
  return (t.sign() - x.matmul(powers(t, x.size(0)))).square().sum() * 0.5;
}

Tensor loss(const Tensor& x, int64_t n) {
  Tensor sum = zeros({}, dtype(kFloat64));
  for (int64_t first = 0; first < n; first += kBlock) sum += block_loss(x, first, n);
  return sum;
}

Tensor loss_gradient(const Tensor& values, int64_t n) {
  const Tensor x = leaf(values);
  for (int64_t first = 0; first < n; first += kBlock) block_loss(x, first, n).backward();
  return x.grad();
}

int main(int count, char** arguments) {
  const auto on = [](Tensor (*f)(const Tensor& x, int64_t n)) {
    return [f](const Json& input) {
      const Tensor x = to_tensor(input["x"]);
      return to_json(timed(input, [&] { return f(x, input["n"]); }));
    };
  };
  return run(count, arguments, {{"primal", on(loss)}, {"gradient", on(loss_gradient)}});
}
