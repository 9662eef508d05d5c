#include <notape/nn.h>
#include <notape/notape.h>

#include <iostream>

using namespace notape;

// A line through points on y = 2 x + 1.
int main() {
  manual_seed(1);
  const Tensor x = rand({64, 1}), y = 2 * x + 1;
  nn::Linear model(1, 1);
  optim::SGD optimizer(model->parameters(), optim::SGDOptions(0.5));
  for (int epoch = 0; epoch < 300; ++epoch) {
    optimizer.zero_grad();
    mse_loss(model(x), y).backward();
    optimizer.step();
  }
  const double slope = model->weight.item(), intercept = model->bias.item();
  std::cout << "y = " << slope << " x + " << intercept << "\n";
  return std::abs(slope - 2) < 0.01 && std::abs(intercept - 1) < 0.01 ? 0 : 1;
}
