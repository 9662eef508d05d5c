// A program outside the project: the gradient of sum(x * x) is 2 x.

#include <notape/notape.h>

#include <cstdio>

int main() {
  notape::Tensor x = notape::ones({3});
  x.set_requires_grad(true);
  notape::Tensor y = (x * x).sum();
  y.backward();
  const double gradient = x.grad().sum().item();
  std::printf("sum of gradient = %g\n", gradient);
  return gradient == 6.0 ? 0 : 1;
}
