// Hooks on tensors and retained gradients.
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::Tensor x = torch::tensor({1.0, 2.0}, torch::requires_grad());
  torch::Tensor y = x * 3;
  torch::Tensor squares = y * y;
  torch::Tensor z = squares + 1;
  squares.retain_grad();
  std::cout << squares.retains_grad() << y.retains_grad() << x.retains_grad() << "\n";
  const unsigned printing = y.register_hook([](torch::Tensor gradient) {
    std::cout << "y receives\n" << gradient << "\n";
  });
  const auto doubling = y.register_hook([](torch::Tensor gradient) { return gradient * 2; });
  z.sum().backward({}, /*retain_graph=*/true);
  std::cout << squares.grad() << "\n" << x.grad() << "\n";

  y.remove_hook(doubling);
  x.grad().zero_();
  z.sum().backward({}, true);
  std::cout << x.grad() << "\n" << squares.grad() << "\n";

  y.remove_hook(printing);
  const unsigned clipping =
      x.register_hook([](const torch::Tensor& gradient) { return gradient.clamp(-20, 20); });
  x.mutable_grad().reset();
  z.sum().backward();
  std::cout << clipping << " " << x.grad() << "\n";

  int calls = 0;
  torch::Tensor a = x.detach().requires_grad_();
  a.register_hook([&calls](torch::Tensor) { ++calls; });
  (a * 2 + a * 3).sum().backward();
  (a * 2).sum().backward();
  std::cout << calls << " " << a.grad() << "\n";
}
