// backward(): leaves, accumulation, explicit gradients, retained graphs, chosen inputs.
#include <torch/torch.h>

#include <iostream>

int main() {
  torch::Tensor x =
      torch::tensor({1.0, 2.0, 3.0}, torch::dtype(torch::kFloat64).requires_grad(true));
  torch::Tensor w = torch::tensor({0.5, -1.0, 2.0}, torch::kFloat64).requires_grad_();
  torch::Tensor loss = (x * w).tanh().sum();
  loss.backward();
  std::cout << loss << "\n" << x.grad() << "\n" << w.grad() << "\n";

  (x * 2).sum().backward();
  std::cout << x.grad() << "\n";
  x.grad().zero_();
  torch::Tensor y = x * x;
  y.backward(torch::tensor({1.0, 0.1, 0.01}, torch::kFloat64), /*retain_graph=*/true);
  y.backward(torch::ones_like(y));
  std::cout << x.grad() << "\n";

  x.mutable_grad() = torch::Tensor();
  std::cout << x.grad().defined() << "\n";
  torch::Tensor z = torch::exp(x) * w;
  z.sum().backward({}, c10::nullopt, /*create_graph=*/false, std::vector<torch::Tensor>{w});
  std::cout << x.grad().defined() << " " << w.grad() << "\n";

  torch::autograd::backward({(x * 3).sum(), (x * w).sum()}, {});
  std::cout << x.grad() << "\n" << w.grad() << "\n";

  torch::Tensor m = torch::ones({2, 3}, torch::requires_grad());
  torch::Tensor row = torch::tensor({1.0, 2.0, 3.0}).set_requires_grad(true);
  torch::mm(m * row, torch::arange(6, torch::kFloat).view({3, 2})).sum().backward();
  std::cout << m.grad() << "\n" << row.grad() << "\n";

  torch::Tensor v = torch::tensor({3.0, 1.0, 2.0}, torch::requires_grad());
  (v.max() * std::get<0>(v.min(0))).backward();
  std::cout << v.grad() << "\n";
  const torch::Tensor frozen = x.detach();
  std::cout << frozen.requires_grad() << " " << (x * 1).requires_grad() << " "
            << (frozen * 1).requires_grad() << "\n";
}
