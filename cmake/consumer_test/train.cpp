#include <notape/nn.h>
#include <notape/notape.h>

#include <cmath>
#include <iostream>

using namespace notape;

struct NetImpl : nn::Module {
  Tensor forward(const Tensor& x) const { return last(tanh(first(x))); }

  nn::Linear first = register_module("first", nn::Linear(1, 32));
  nn::Linear last = register_module("last", nn::Linear(32, 1));
};
using Net = nn::ModuleHolder<NetImpl>;

// A net that learns a sine wave, is saved, and comes back the same.
int main() {
  manual_seed(1);
  const Tensor x = linspace(-3, 3, 64).unsqueeze(1), y = sin(x);
  const Net net;
  optim::Adam optimizer(net->parameters(), optim::AdamOptions(0.02));
  optim::CosineAnnealingLR schedule(optimizer, 400);
  for (int epoch = 0; epoch < 400; ++epoch) {
    optimizer.zero_grad();
    mse_loss(net(x), y).backward();
    nn::utils::clip_grad_norm_(net->parameters(), 1);
    optimizer.step();
    schedule.step();
  }
  nn::save(net, "sine.safetensors");

  const Net same;
  nn::load(same, "sine.safetensors");
  const double error = (same(x) - y).abs().max().item();
  std::cout << *same << "\nlargest error " << error << "\n";
  return error < 0.1 ? 0 : 1;
}
