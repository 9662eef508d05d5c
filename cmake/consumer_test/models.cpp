#include <notape/models.h>
#include <notape/notape.h>

#include <iostream>

using namespace notape;

// A narrow ResNet-18 that learns eight images by heart.
int main() {
  manual_seed(1);
  const models::ResNet net = models::resnet18(models::ImageModelOptions(10).width_mult(0.125));
  const Tensor images = rand({8, 3, 64, 64}), classes = arange(8);
  optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.05).momentum(0.9));
  double loss = 0;
  for (int step = 0; step < 30; ++step) {
    optimizer.zero_grad();
    const Tensor error = cross_entropy(net(images), classes);
    error.backward();
    optimizer.step();
    loss = error.item();
  }
  std::cout << "loss " << loss << "\n";
  return loss < 0.1 ? 0 : 1;
}
