#include <notape/notape.h>

#include <iostream>

using namespace notape;

int main() {
  Tensor x = tensor({1.0, 2.0, 3.0}, dtype(kFloat64).requires_grad(true));
  Tensor y = (x * x).sum() + x.tanh().sum();
  y.backward();
  std::cout << "y = " << y.item() << "\ndy/dx =\n" << x.grad() << "\n";

  Tensor slope = autograd::grad({(x * x * x).sum()}, {x}, {}, {}, /*create_graph=*/true)[0];
  std::cout << "d2(x^3)/dx2 =\n" << autograd::grad({slope.sum()}, {x})[0] << "\n";

  try {
    Tensor z = x.tanh();
    z.add_(3);  // overwrites what the derivative of tanh needs
    z.sum().backward();
  } catch (const SavedTensorModified& error) {
    std::cout << error.what() << "\n";
  }
}
